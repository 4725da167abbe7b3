// What a newcomer tries first: the request files of examples/, the programs, and what the papers show. Against the fake
// model for their shape, and against the shipped model where its weights are.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { calibrationVersions, fileOutcomeStore, fit as fitCalibration } from '../../src/calibration/index.ts'
import { runCli } from '../../src/cli/program.ts'
import { readRequestFile } from '../../src/cli/request.ts'
import { seededRandom } from '../../src/core/random.ts'
import { createEngine, type Engine, localModel } from '../../src/index.ts'
import { questionTypes } from '../../src/questions/index.ts'
import type { AskRequest } from '../../src/wire/types.ts'
import { listOf } from '../calibration/outcome-events.ts'
import { binaryEvidence } from '../calibration/simulated.ts'
import { startRunning } from '../service/running.ts'
import { fakeTerminal } from '../shared/terminal.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = fileURLToPath(new URL('../../examples', import.meta.url))
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .sort()
const readme = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8')
const manifest = JSON.parse(readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8'))

async function requestOf(file: string): Promise<AskRequest> {
  return (await readRequestFile(file, { folder, read: async () => '' })).request
}

/**
 * Holds what is true of any answer to an example: nothing missing, nothing refused, probabilities that are
 * probabilities.
 */
async function holdAnswers(engine: Engine, file: string): Promise<void> {
  const request = await requestOf(file)
  const { answers, simo } = await engine.ask(request)
  expect(Object.keys(answers).sort()).toEqual([...Object.keys(request.questions), ...Object.keys(request.derive ?? {})].sort())
  expect(simo.warnings).toEqual([])
  for (const [id, answer] of Object.entries(answers)) {
    if ('valid' in answer) expect(answer, id).toMatchObject({ valid: true })
    if ('probabilities' in answer) {
      const probabilities = Object.values<number>(answer.probabilities)
      for (const p of probabilities) expect(p > 0 && p < 1, id).toBe(true)
      if (answer.type !== 'select') expect(probabilities.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 6)
    }
  }
}

/** Why an example cannot be asked here, or null. */
function missing(file: string): string | null {
  const paths = [...readFileSync(`${folder}/${file}`, 'utf8').matchAll(/"path":\s*"([^"]+)"/g)].map(([, path]) => path)
  const absent = paths.find((path) => !existsSync(`${folder}/${path}`))
  return absent === undefined ? null : `examples/${absent} is not there`
}

describe('the example requests', () => {
  it('are a text, a JSON object, a screenshot and a video, and the demo asks them all', async () => {
    expect(files).toEqual(['ask-json.json', 'ask-screenshot.json', 'ask-text.json', 'ask-video.json'])
    const [json, screenshot, text, video] = await Promise.all(files.map(requestOf))
    expect(typeof text?.state).toBe('string')
    expect(Array.isArray(json?.state)).toBe(false)
    expect(Array.isArray(screenshot?.state)).toBe(true)
    expect(video?.state).toMatchObject([{ type: 'video' }])
    for (const file of files) expect(manifest.scripts.demo).toContain(`examples/${file}`)
  })

  it('show every type of question', async () => {
    const requests = await Promise.all(files.map(requestOf))
    const types = new Set(requests.flatMap(({ questions }) => Object.values(questions).map(({ type }) => type)))
    expect([...types].sort()).toEqual([...questionTypes()].sort())
  })

  for (const file of files) {
    it.skipIf(missing(file) !== null)(
      `${file} is answered by the fake model${missing(file) === null ? '' : ` (skipped: ${missing(file)})`}`,
      async () => {
        const engine = await createEngine({ models: [createFakeBackend()] })
        await holdAnswers(engine, file)
        await engine.close()
      },
    )
  }
})

const model = fileURLToPath(new URL('../../models/service-1-pro', import.meta.url))
const hasModel = existsSync(`${model}/config.json`) && existsSync(`${model}/texts/onnx`)

describe.skipIf(!hasModel)(`the shipped model${hasModel ? '' : ' (skipped: models/service-1-pro has no weights)'}`, () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine({ models: [localModel(model, { inProcess: true })] })
  })
  afterAll(() => engine?.close())

  for (const file of files) {
    it.skipIf(missing(file) !== null)(`answers ${file}`, () => holdAnswers(engine, file))
  }

  const started = (file: string, cwd: string) =>
    promisify(execFile)(process.execPath, ['--import', import.meta.resolve('tsx'), `${folder}/${file}`], { cwd })

  it('answers examples/typed.ts, in its worker', async () => {
    const { stdout } = await started('typed.ts', folder)
    expect(stdout).toMatch(/^a declined card 0\.\d+ 0\.\d+ true\n$/)
  })

  it('keeps what examples/outcomes.ts records, also when it finds a calibration that is served', async () => {
    const place = await mkdtemp(join(tmpdir(), 'assay-examples-'))
    onTestFinished(() => rm(place, { recursive: true, force: true }))
    const kept = async () => {
      const store = await fileOutcomeStore(join(place, 'outcomes'), { isReadOnly: true })
      const [events, evidence] = [await listOf(store.recent(10)), await listOf(store.evidence())]
      await store.close()
      return { events, truths: evidence.map(({ task, truth }) => [task, truth]) }
    }
    await started('outcomes.ts', place)
    const { events, truths } = await kept()
    expect(truths).toEqual([['angry', [0]]])
    const { model: id, revision, templateHash } = events[0]!
    const calibration = fitCalibration(binaryEvidence(seededRandom(1), 60, { slope: 0.5, bias: 0 }), { id, revision, templateHash })
    await calibrationVersions(join(place, 'outcomes/calibrations')).serve(calibration, { at: 0, why: 'to be found', heldOut: null })
    await started('outcomes.ts', place)
    expect((await kept()).truths).toEqual([...truths, ...truths])
  })
})

describe('examples/client.ts', () => {
  it('asks a service, and what it says was true is recorded there', async () => {
    const running = await startRunning()
    onTestFinished(() => running.end())
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', import.meta.resolve('tsx'), `${folder}/client.ts`], {
      env: { ...process.env, ASSAY_URL: running.url, ASSAY_API_KEY: running.secret },
    })
    expect(stdout).toMatch(/^a (declined|lost) card 0\.\d+(e-\d)? 0\.000000000\n|^a transfer/)
    const truths = (await listOf(running.store.outcomes('main').evidence())).map(({ task }) => task)
    expect(truths).toEqual(['angry', 'about'])
  })
})

/** The papers that a newcomer reads, by their path in the repository. */
const PAPERS = ['README.md', 'CONTRIBUTING.md', ...readdirSync(`${root}docs`).map((name) => `docs/${name}`)].filter((path) =>
  path.endsWith('.md'),
)
const paperOf = (path: string): string => readFileSync(`${root}${path}`, 'utf8')

const SHARE = /[█▏▎▍▌▋▊▉]*\s+(\d+\.\d) %/g
const withoutShares = (text: string): string => text.replace(SHARE, ' %')
const sharesIn = (text: string): number[] => Array.from(text.matchAll(SHARE), ([, share]) => Number(share))

describe('the papers', () => {
  it.each([
    ['typed.ts', 'README.md'],
    ['client.ts', 'README.md'],
    ['outcomes.ts', 'docs/calibration.md'],
  ])('show the program of examples/%s in %s', (file, paper) => {
    const code = readFileSync(`${folder}/${file}`, 'utf8').replace(/^\/\/.*\n/gm, '')
    const named = code.replace('../src/index.ts', 'assay-engine').replace(/\.\.\/src\/(calibration|client)\/index\.ts/, 'assay-engine/$1')
    expect(paperOf(paper)).toContain(`\`\`\`ts\n${named.trim()}\n\`\`\``)
  })

  it('show a command that works', async () => {
    const line = /^node dist\/cli\/main\.js (ask .+)$/m.exec(readme)?.[1] ?? ''
    const args = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
    const { terminal, heard } = fakeTerminal(folder, { isInteractive: true })
    expect(await runCli(args, terminal, () => createEngine({ models: [createFakeBackend()] }))).toBe(0)
    expect(heard.out).toContain('What is the currency?')
  })

  it.skipIf(!hasModel)('show the real output of that command', async () => {
    const [, command = '', output = ''] = /^node dist\/cli\/main\.js (ask .+)\n```\n\n```\n([\s\S]+?)\n```$/m.exec(readme) ?? []
    const args = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
    const { terminal, heard } = fakeTerminal(folder, { isInteractive: true })
    expect(await runCli(args, terminal, () => createEngine())).toBe(0)
    const heardStart = heard.out.split('\n').slice(0, output.split('\n').length).join('\n')
    expect(withoutShares(heardStart)).toBe(withoutShares(output))
    // Processors without instructions for eight bits round otherwise, by a tenth of a percent.
    for (const [i, share] of sharesIn(output).entries()) expect(sharesIn(heardStart)[i]).toBeCloseTo(share, 0)
  })

  it.skipIf(!hasModel)('show what a service answers to the decisions wire', async () => {
    const [, request = '', answer = ''] =
      /\/v1\/decisions .+ -d '([^']+)'\n[\s\S]+?^```json\n([\s\S]+?)^```$/m.exec(paperOf('docs/service.md')) ?? []
    const running = await startRunning({ models: [localModel(model, { inProcess: true, id: 'service-1-pro' })] })
    onTestFinished(() => running.end())
    const reply = await running.post('/v1/decisions', JSON.parse(request))
    const { answers, ...beside } = await reply.json()
    const cut = (_name: string, value: unknown) => (typeof value === 'number' ? Number(value.toFixed(3)) : value)
    expect(JSON.parse(JSON.stringify({ answers }, cut))).toEqual(JSON.parse(answer))
    expect(Object.keys(beside)).toEqual(['id', 'model', 'usage', 'simo'])
  })

  it('name only scripts that are there', () => {
    const scripts = [...readme.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name as string)
    expect(scripts).not.toEqual([])
    for (const name of scripts) expect(Object.keys(manifest.scripts)).toContain(name)
  })

  it('have a README of at most 150 lines', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(150)
  })

  it.each(PAPERS)('link only to files that are there, in %s', (paper) => {
    const links = [...paperOf(paper).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path]) => path as string)
    for (const path of links) expect(existsSync(join(dirname(`${root}${paper}`), path)), path).toBe(true)
  })

  it.each(PAPERS)('name only files of this repository, in %s', (paper) => {
    const named = [...paperOf(paper).matchAll(/`((?:src|test|bench|models|docs|examples)\/[\w./-]+)`/g)].map(([, path]) => path as string)
    for (const path of named) expect(existsSync(`${root}${path}`), path).toBe(true)
  })
})
