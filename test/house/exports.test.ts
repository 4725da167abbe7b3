// Pins what the package promises: the names of its entry, its subpaths, its command. Changing one is a decision, and
// shows up here.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { ENGINE_VERSION } from '../../src/pipeline/response.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

/** Exported names of a source file: values, and types. */
function namesOf(file: string): { values: string[]; types: string[] } {
  const path = `${root}${file}`
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    noLib: true,
    types: [],
  }
  // Own files only: what packages export does not change our names, and reading their types takes seconds.
  const host = ts.createCompilerHost(options)
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) =>
      text.startsWith('.')
        ? { resolvedModule: { resolvedFileName: resolve(dirname(from), text), extension: ts.Extension.Ts } }
        : { resolvedModule: undefined },
    )
  const program = ts.createProgram([path], options, host)
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(path)
  const symbol = source && checker.getSymbolAtLocation(source)
  if (!symbol) throw new Error(`${file} exports nothing`)
  const [values, types]: [string[], string[]] = [[], []]
  for (const exported of checker.getExportsOfModule(symbol)) {
    const target = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
    const isTypeOnly = exported.declarations?.some(
      (declaration) => ts.isExportSpecifier(declaration) && declaration.parent.parent.isTypeOnly,
    )
    ;(target.flags & ts.SymbolFlags.Value && !isTypeOnly ? values : types).push(exported.name)
  }
  return { values: values.sort(), types: types.sort() }
}

describe('the package', () => {
  it('has these names', async () => {
    const { values, types } = namesOf('src/index.ts')
    expect(values).toMatchInlineSnapshot(`
      [
        "ENGINE_VERSION",
        "ERROR_CODES",
        "EngineError",
        "chainOf",
        "choice",
        "createEngine",
        "extract",
        "fill",
        "localModel",
        "modelServer",
        "noul",
        "probeModel",
        "score",
        "select",
        "shippedModel",
        "verifyModel",
      ]
    `)
    expect(Object.keys(await import('../../src/index.ts')).sort()).toEqual(values)
    expect(types).toMatchInlineSnapshot(`
      [
        "Answer",
        "AnswerOf",
        "Answers",
        "AnswersOf",
        "Ask",
        "AskOptions",
        "AskRequest",
        "AskResponse",
        "Backend",
        "BoxAnswer",
        "BoxItem",
        "BoxManyAnswer",
        "CachesOfBackend",
        "Calibration",
        "CalibrationReport",
        "ChainOptions",
        "ChainStage",
        "ChoiceAnswer",
        "ChoiceQuestion",
        "Coordinates",
        "CreateEngineOptions",
        "Criteria",
        "Decision",
        "DecisionEvent",
        "DeliberationSettings",
        "DeriveAnswer",
        "DeriveInput",
        "Derives",
        "Device",
        "DeviceReport",
        "Engine",
        "EngineCore",
        "EngineName",
        "ErrorCode",
        "ExtractAnswer",
        "ExtractItem",
        "ExtractKind",
        "ExtractManyAnswer",
        "ExtractQuestion",
        "ExtractTextKind",
        "FileData",
        "FillAnswer",
        "FillItem",
        "FillItemKind",
        "FillKind",
        "FillParsed",
        "FillQuestion",
        "FrameSampling",
        "Instructions",
        "Json",
        "KindTypes",
        "LevelInput",
        "ModelChain",
        "ModelCheck",
        "ModelInfo",
        "ModelListing",
        "ModelServerOptions",
        "ModelSource",
        "ModelVerification",
        "NoulAnswer",
        "NoulQuestion",
        "OnnxOptions",
        "OptionInput",
        "OptionsInput",
        "OptionsOf",
        "OutcomeStore",
        "Part",
        "Point",
        "Problem",
        "Question",
        "QuestionAnswer",
        "QuestionKinds",
        "QuestionReport",
        "QuestionType",
        "Questions",
        "RecordOptions",
        "RecordedOutcome",
        "RequestSimo",
        "ScoreAnswer",
        "ScoreQuestion",
        "Scoring",
        "SeenAnswer",
        "SelectAnswer",
        "SelectQuestion",
        "SetAndAbstention",
        "Simo",
        "Source",
        "SpanAnswer",
        "StageReport",
        "State",
        "TypedRequest",
        "Usage",
        "VerifyOptions",
      ]
    `)
  })

  it('has these names for calibration', () => {
    expect(namesOf('src/calibration/index.ts').values).toMatchInlineSnapshot(`
      [
        "calibrationVersions",
        "calibratorOf",
        "fileOutcomeStore",
        "fit",
        "labelledDrift",
        "memoryOutcomeStore",
        "parseCalibration",
        "populationDrift",
        "readEvidence",
        "recordOutcome",
        "refit",
        "shippedCalibration",
        "writeEvidence",
      ]
    `)
  })

  it('has these names for a client of a service', () => {
    expect(namesOf('src/client/index.ts').values).toMatchInlineSnapshot(`
      [
        "ConnectionError",
        "ERROR_CODES",
        "EngineError",
        "RemoteEngineError",
        "SERVICE_ERROR_CODES",
        "ServiceError",
        "TimeoutError",
        "choice",
        "createClient",
        "extract",
        "fill",
        "noul",
        "score",
        "select",
      ]
    `)
  })

  it('has these names for the service', () => {
    expect(namesOf('src/service/index.ts').values).toMatchInlineSnapshot(`
      [
        "DEFAULT_SETTINGS",
        "createLog",
        "createMetrics",
        "createService",
        "openStore",
        "readSettings",
      ]
    `)
  })

  it('has these backends', async () => {
    expect(namesOf('src/backends/fake/index.ts').values).toMatchInlineSnapshot(`
      [
        "createFakeBackend",
      ]
    `)
    expect(namesOf('src/backends/onnx/index.ts').values).toMatchInlineSnapshot(`
      [
        "loadOnnxModel",
        "probeOnnxModel",
        "verifyOnnxModel",
      ]
    `)
  })

  it('has these entries and this command', () => {
    expect(manifest.name).toBe('assay-engine')
    expect(manifest.exports).toEqual({
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './calibration': { types: './dist/calibration/index.d.ts', default: './dist/calibration/index.js' },
      './client': { types: './dist/client/index.d.ts', default: './dist/client/index.js' },
      './server': { types: './dist/service/index.d.ts', default: './dist/service/index.js' },
      './backends/*': { types: './dist/backends/*/index.d.ts', default: './dist/backends/*/index.js' },
    })
    expect(manifest.bin).toEqual({ assay: './dist/cli/main.js' })
    const sources = [manifest.exports['.'].default, manifest.bin.assay].map((path: string) =>
      path.replace('./dist/', 'src/').replace('.js', '.ts'),
    )
    for (const source of sources) expect(existsSync(`${root}${source}`), source).toBe(true)
    expect(readFileSync(`${root}src/cli/main.ts`, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
  })

  const isBuilt = existsSync(`${root}dist/index.js`)
  it.skipIf(!isBuilt)(`is importable by its own name${isBuilt ? '' : ' (skipped: not built; npm run build)'}`, async () => {
    const code = `
      const { createEngine, noul } = await import('assay-engine')
      const { createFakeBackend } = await import('assay-engine/backends/fake')
      const { loadOnnxModel } = await import('assay-engine/backends/onnx')
      const { createClient } = await import('assay-engine/client')
      const engine = await createEngine({ models: [createFakeBackend()] })
      const { answers } = await engine.ask({ state: 'x', questions: { a: noul('y') } })
      await engine.close()
      console.log(typeof loadOnnxModel, typeof createClient, answers.a.type)`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { cwd: root })
    expect(stdout).toBe('function function noul\n')
  })

  it('packs what it runs on, and no more', async () => {
    const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, shell: true })
    const packed: string[] = JSON.parse(stdout)[0].files.map(({ path }: { path: string }) => path)
    const own = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'recommended-models.json']
    expect(packed).toEqual(expect.arrayContaining(own))
    const isOfModel = (path: string): boolean => /^models\/[^/]+\/((texts|pictures)\/(onnx\/)?)?[^/]+$/.test(path)
    expect(packed.filter((path) => !own.includes(path) && !/^(dist|calibration-data)\//.test(path) && !isOfModel(path))).toEqual([])
    for (const folder of readdirSync(`${root}models`)) {
      for (const part of ['texts', 'pictures']) {
        const weights = `models/${folder}/${part}/onnx`
        const runsOn = readdirSync(`${root}${weights}`).map((name) => `${weights}/${name}`)
        expect(packed).toEqual(expect.arrayContaining([...runsOn, `models/${folder}/${part}/config.json`]))
      }
      expect(packed).toEqual(expect.arrayContaining([`models/${folder}/config.json`, `models/${folder}/NOTICE`]))
    }
    // The sources are not in the package, so maps to them would lead nowhere.
    expect(packed.filter((path) => path.endsWith('.map'))).toEqual([])
  })

  it('says one version', () => {
    expect(ENGINE_VERSION).toBe(manifest.version)
    expect(readFileSync(`${root}CHANGELOG.md`, 'utf8')).toContain(`## ${manifest.version}`)
  })

  it('pins every dependency to one exact version', () => {
    const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies } as Record<string, string>)
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
  })
})
