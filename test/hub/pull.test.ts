// Pulling a model from a hub on this machine: what is downloaded and from where, what a cut connection leaves, and
// every way in which a hub may fail or lie. The hub's answers are those that Hugging Face's own client takes.
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { downloadFile as downloadOfficially, listFiles, modelInfo } from '@huggingface/hub'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadOnnxModel } from '../../src/backends/onnx/index.ts'
import { EngineError } from '../../src/core/errors.ts'
import { type Hub, type HubOptions, openHub } from '../../src/hub/http.ts'
import { findPulled, partialModels, placeOf, pulledModels, removePulled } from '../../src/hub/library.ts'
import { type PullOptions, type PullResult, pullModel } from '../../src/hub/pull.ts'
import { isSafePath, parseRepositoryName, readFiles, readRevision } from '../../src/hub/repository.ts'
import { COMMIT, type FakeHub, filesOf, type HeardRequest, sendFile, startFakeHub } from './fake-hub.ts'

const NAME = `acme/tiny@${COMMIT.slice(0, 8)}`
const DECODER = 'onnx/decoder_model_merged.onnx'

let home = ''
let hub: FakeHub
let waits: number[] = []
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'assay-hub-'))
  hub = await startFakeHub()
  waits = []
})
afterEach(async () => {
  await hub.close()
  await rm(home, { recursive: true, force: true })
})

/** Waiting takes no time, and is written down. */
function opened(options: HubOptions = {}): Hub {
  const wait = async (ms: number): Promise<void> => void waits.push(ms)
  return openHub({ endpoint: hub.endpoint, time: { now: () => 0, random: () => 0, wait }, ...options })
}

function pull({ hub: to = opened(), ...options }: Partial<PullOptions> & { readonly hub?: Hub } = {}): Promise<PullResult> {
  return pullModel({ hub: to, home, repository: { id: 'acme/tiny', revision: 'main' }, dtype: null, ...options })
}

async function refusal(options: Parameters<typeof pull>[0] = {}): Promise<EngineError> {
  const error: unknown = await pull(options).then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(EngineError)
  expect(await pulledModels(home)).toEqual([])
  return error as EngineError
}

/** A fault for requests of a file, `times` often. */
function onFile(path: string, answer: (request: HeardRequest, response: ServerResponse) => void, times = 1): void {
  let left = times
  hub.fault = (request, response) => {
    const isIt = decodeURIComponent(request.path).endsWith(path) && (request.server === 'files' || hub.files.get(path)!.length < 65_536)
    if (!isIt || left-- <= 0) return false
    answer(request, response)
    return true
  }
}

const graphs = async (folder: string): Promise<string[]> => (await readdir(join(folder, 'onnx'))).sort()

describe('the hub of these tests', () => {
  it('answers as the official client takes it, and both see the same', async () => {
    hub.pageSize = 4
    const [repo, hubUrl] = ['acme/tiny', hub.endpoint]
    expect((await modelInfo({ name: repo, hubUrl, additionalFields: ['sha'] as const, revision: 'main' })).sha).toBe(COMMIT)
    const theirs: { path: string; size: number }[] = []
    for await (const { path, size, type } of listFiles({ repo, hubUrl, recursive: true, revision: COMMIT }))
      if (type === 'file') theirs.push({ path, size })
    const ours = await readFiles(opened(), repo, COMMIT)
    expect(ours.map(({ path, bytes }) => ({ path, size: bytes }))).toEqual(theirs)
    expect(await readRevision(opened(), { id: repo, revision: 'main' })).toEqual({ id: repo, commit: COMMIT, license: 'apache-2.0' })
    const { model } = await pull()
    for (const path of ['config.json', DECODER]) {
      const blob = await downloadOfficially({ repo, path, revision: COMMIT, hubUrl, xet: false })
      expect(Buffer.from(await blob!.arrayBuffer()).equals(await readFile(join(model.folder, path)))).toBe(true)
    }
  })
})

describe('a pull', () => {
  it('takes what the model needs and nothing else, whole, with a record of it', async () => {
    const seen: [number, number][] = []
    const { model, reused } = await pull({ onProgress: (done, total) => seen.push([done, total]) })
    expect(reused).toBeNull()
    expect(model).toMatchObject({ name: NAME, commit: COMMIT, license: 'apache-2.0', modelType: 'idefics3', dtype: null })
    expect(await graphs(model.folder)).toEqual(['decoder_model_merged.onnx', 'embed_tokens.onnx', 'vision_encoder.onnx'])
    const there = await readdir(model.folder)
    expect(there).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'config.json', 'tokenizer.json', 'preprocessor_config.json']))
    for (const none of ['model.safetensors', 'vocab.json', '.gitattributes']) expect(there).not.toContain(none)
    for (const { path, bytes } of model.files) {
      expect((await stat(join(model.folder, path))).size).toBe(bytes)
      expect(await readFile(join(model.folder, path))).toEqual(hub.files.get(path))
    }
    expect(seen.at(-1)).toEqual([model.bytes, model.bytes])
    expect(await pulledModels(home)).toEqual([model])
    expect(await partialModels(home)).toEqual([])
    // What the graphs are decides nothing before config.json is read.
    expect(hub.downloads()[0]).toBe('config.json')
  })

  it('takes the formats that are asked for, and says which there are', async () => {
    const { model } = await pull({ dtype: { decoder_model_merged: 'int8' } })
    expect(model.name).toBe(`${NAME}-decoder_model_merged.int8`)
    expect(await graphs(model.folder)).toEqual(['decoder_model_merged_int8.onnx', 'embed_tokens.onnx', 'vision_encoder.onnx'])
    await removePulled(home, model.name)
    expect((await refusal({ dtype: 'int8' })).message).toMatch(/^acme\/tiny has no \w+ in int8; there is fp32.*--dtype \w+=fp32$/)
    expect((await refusal({ dtype: { encoder: 'q4' } })).message).toContain(
      'has no graph encoder; its graphs are vision_encoder, embed_tokens',
    )
  })

  it('takes the weights that a graph names', async () => {
    const { model } = await pull({ dtype: { decoder_model_merged: 'q4' } })
    const data = (await graphs(model.folder)).filter((name) => name.includes('_data'))
    expect(data).toEqual(['decoder_model_merged_q4.onnx_data'])
  })

  it('takes a graph that lies beside config.json, its weights there, and the files that say what its head is', async () => {
    hub.files.clear()
    const folder = fileURLToPath(new URL('../golden/option-markers/jevhome', import.meta.url))
    for (const [name, content] of filesOf(folder)) hub.files.set(name, content)
    hub.files.set('pytorch/model.onnx', Buffer.from('nobody reads this'))
    const { model } = await pull()
    expect((await readdir(model.folder)).sort()).toEqual([...filesOf(folder).keys()].sort())
    const backend = await loadOnnxModel(model.folder, { inProcess: true, threads: 1 })
    expect(backend.info).toMatchObject({ id: 'tiny', contextLength: 512, scorer: 'markers' })
    await backend.close()
  })

  it('asks nothing for a commit that is there, downloads nothing twice, and does without the hub where it can', async () => {
    const { model } = await pull()
    hub.heard.length = 0
    expect(await pull({ repository: { id: 'acme/tiny', revision: COMMIT } })).toEqual({ model, reused: 'present' })
    expect(hub.heard).toEqual([])
    expect(await pull()).toEqual({ model, reused: 'present' })
    expect(hub.downloads()).toEqual([])
    // A later commit with the same graphs.
    hub.commit = 'f'.repeat(40)
    hub.files.set('README.md', Buffer.from('# New\n'))
    const later = await pull()
    expect(hub.downloads().filter((path) => path.endsWith('.onnx') && hub.files.get(path)!.length >= 65_536)).toEqual([])
    expect((await findPulled(home, 'tiny')).map(({ name }) => name)).toEqual([later.model.name, NAME])
    await hub.close()
    expect(await pull()).toEqual({ model: later.model, reused: 'offline' })
    const other = await pull({ repository: { id: 'acme/other', revision: 'main' } }).catch((error: Error) => error.message)
    expect(other).toMatch(/^the hub at 127\.0\.0\.1:\d+ could not be reached \(ECONNREFUSED\); check the network, and HF_ENDPOINT/)
  })

  it('sends the token to the hub, and not to where downloads are', async () => {
    hub.token = 'secret'
    await pull({ hub: opened({ token: 'secret' }) })
    expect(hub.heard.filter(({ server }) => server === 'files').length).toBeGreaterThan(0)
    for (const { server, authorization } of hub.heard) expect(authorization).toBe(server === 'hub' ? 'Bearer secret' : undefined)
  })

  it('waits for nobody who is gone, and leaves a folder alone that another process fills', async () => {
    const { partial } = placeOf(home, NAME)
    await mkdir(partial, { recursive: true })
    await writeFile(join(partial, '.lock'), String(process.pid))
    expect((await refusal()).message).toContain(`${NAME} is being pulled by another process (${process.pid})`)
    const gone = spawnSync(process.execPath, ['-e', ''])
    await writeFile(join(partial, '.lock'), String(gone.pid))
    const { model } = await pull()
    expect(await readdir(placeOf(home, NAME).slot)).toEqual(['pulled.json', 'tiny'])
    expect(await pulledModels(home)).toEqual([model])
  })
})

describe('a connection that is cut', () => {
  const cutAfter = (bytes: number) => (_: HeardRequest, response: ServerResponse) => {
    const content = hub.files.get(DECODER)!
    response.writeHead(200, { 'content-length': content.length })
    response.write(content.subarray(0, bytes), () => response.destroy())
  }

  it('is gone on with where it ended', async () => {
    onFile(DECODER, cutAfter(100_000))
    const { model } = await pull()
    const ranges = hub.heard.flatMap(({ server, range, path }) => (server === 'files' && path.includes('decoder') ? [range] : []))
    expect(ranges[0]).toBeUndefined()
    expect(ranges).toHaveLength(2)
    expect(Number(/^bytes=(\d+)-$/.exec(ranges[1] ?? '')?.[1])).toBeGreaterThan(0)
    expect(await readFile(join(model.folder, DECODER))).toEqual(hub.files.get(DECODER))
  })

  it('again and again ends with what to do, and the next run goes on', async () => {
    let served = 0
    onFile(
      DECODER,
      (request, response) => {
        if (served > 0) return void response.destroy()
        served++
        cutAfter(200_000)(request, response)
      },
      Number.POSITIVE_INFINITY,
    )
    expect((await refusal()).message).toMatch(/could not be reached|ended after/)
    expect(waits.length).toBeGreaterThanOrEqual(5)
    expect(await partialModels(home)).toEqual([NAME])
    hub.fault = null
    hub.heard.length = 0
    const before: number[] = []
    await pull({ onProgress: (done) => before.push(done) })
    const again = hub.heard.filter(({ server }) => server === 'files')
    expect(again.some(({ range }) => /^bytes=\d+-$/.test(range ?? ''))).toBe(true)
    expect(hub.downloads()).not.toContain('tokenizer.json')
    expect(await partialModels(home)).toEqual([])
  })

  it('whose server knows no ranges begins again', async () => {
    let times = 0
    onFile(
      DECODER,
      (request, response) => {
        if (times++ === 0) cutAfter(100_000)(request, response)
        else sendFile(hub.files.get(DECODER)!, { ...request, range: undefined }, response)
      },
      2,
    )
    const { model } = await pull()
    expect(await readFile(join(model.folder, DECODER))).toEqual(hub.files.get(DECODER))
  })

  it('that says nothing any more is given up', async () => {
    onFile(DECODER, (_, response) => void response.writeHead(200, { 'content-length': hub.files.get(DECODER)!.length }).flushHeaders())
    const { model } = await pull({ hub: opened({ stallMs: 500 }) })
    expect(await readFile(join(model.folder, DECODER))).toEqual(hub.files.get(DECODER))
  })

  it('leaves nothing that spoils the next run', async () => {
    onFile(DECODER, (_, response) => void response.writeHead(500).end(), Number.POSITIVE_INFINITY)
    await refusal()
    hub.fault = null
    const { folder, partial } = placeOf(home, NAME)
    const part = join(partial, 'tiny', `${DECODER}.part`)
    await writeFile(part, Buffer.alloc(5000, 7))
    // A file that was whole and is no more.
    await truncate(join(partial, 'tiny', 'tokenizer.json'), 10)
    await pull()
    for (const path of [DECODER, 'tokenizer.json']) expect(await readFile(join(folder, path))).toEqual(hub.files.get(path))
  })
})

describe('what is not as it was listed', () => {
  it.each([
    ['other bytes', (content: Buffer) => Buffer.from(content).fill(0, 1000, 1001), 'its checksum is'],
    ['more bytes', (content: Buffer) => Buffer.concat([content, Buffer.alloc(9)]), 'bytes were expected, and'],
    ['fewer bytes', (content: Buffer) => content.subarray(0, -9), 'bytes were expected, and'],
  ])('is refused, and nothing of it kept: %s', async (_, change, message) => {
    const content = hub.files.get(DECODER)!
    onFile(DECODER, (request, response) => sendFile(change(content), request, response), Number.POSITIVE_INFINITY)
    const { message: said, code } = await refusal()
    expect(code).toBe('model_not_available')
    expect(said).toContain(`${DECODER} of acme/tiny is not what the hub`)
    expect(said).toContain(message)
    const { partial } = placeOf(home, NAME)
    expect((await stat(join(partial, 'tiny', `${DECODER}.part`))).size).toBe(0)
  })

  it('is cut off when it does not end, so that no disk is filled', async () => {
    const content = hub.files.get(DECODER)!
    onFile(DECODER, (_, response) => {
      // Without a length, and without an end.
      const more = (): void => void (response.destroyed || response.write(Buffer.alloc(65_536), () => setImmediate(more)))
      response.writeHead(200)
      response.write(content, more)
    })
    expect((await refusal()).message).toContain(`more than its ${content.length} bytes came`)
  })

  it('is a web page of a proxy', async () => {
    onFile('config.json', (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>'))
    expect((await refusal()).message).toContain('a web page came in its place, so a proxy may want a sign-in')
  })

  it('is a size that no disk has', async () => {
    hub.listed.set(DECODER, { size: 2 ** 39 })
    expect((await refusal()).message).toMatch(/^acme\/tiny takes 549\d+ MB, and the disk has \d+ MB free; make room/)
    hub.listed.set(DECODER, { size: 2 ** 60 })
    expect((await refusal()).message).toContain('its list of the files of acme/tiny cannot be read')
  })

  it.each([
    '../evil.json',
    'onnx/../../evil.onnx',
    '/etc/evil.json',
    'onnx\\evil.onnx',
    'C:/evil.json',
    'a//b.json',
    'nul.json',
    'x\u0000.json',
  ])('leads out of the folder: %s', async (path) => {
    hub.listed.set('README.md', { path })
    expect((await refusal()).message).toContain('which leads out of its folder')
    expect(await readdir(join(home))).not.toContain('evil.json')
  })

  it('is a graph whose weights are elsewhere, or are missing', async () => {
    const graph = 'onnx/decoder_model_merged_q4.onnx'
    const bytes = hub.files.get(graph)!.toString('latin1')
    const place = 'decoder_model_merged_q4.onnx_data'
    hub.files.set(graph, Buffer.from(bytes.replaceAll(place, `../../${'x'.repeat(place.length - 6)}`), 'latin1'))
    const dtype = { decoder_model_merged: 'q4' } as const
    expect((await refusal({ dtype })).message).toContain(`${graph} takes weights from outside of its folder`)
    hub.files.set(graph, Buffer.from(bytes, 'latin1'))
    hub.files.delete(`onnx/${place}`)
    expect((await refusal({ dtype })).message).toContain(`takes weights from onnx/${place}, which acme/tiny does not have`)
    hub.files.set(`onnx/${place}`, Buffer.alloc(2000))
    expect((await refusal({ dtype })).message).toMatch(/has 2000 bytes, and .+ would end at byte \d+/)
  })
})

describe('a hub that refuses', () => {
  const always = (status: number, headers: Record<string, string> = {}, body = '') => {
    hub.fault = (_, response) => void response.writeHead(status, headers).end(body) === undefined
  }

  it.each([
    [401, {}, 'model_not_found', /has no acme\/tiny that everybody may read \(401\); check the name, or set HF_TOKEN/],
    [403, { 'x-error-code': 'GatedRepo' }, 'model_not_available', /accept its terms at http.+\/acme\/tiny, then set HF_TOKEN/],
    [404, { 'x-error-code': 'RepoNotFound' }, 'model_not_found', /has no acme\/tiny \(404\); check the name at/],
    [404, { 'x-error-code': 'RevisionNotFound' }, 'model_not_found', /has no acme\/tiny; take a branch, a tag or a commit/],
    [418, {}, 'model_not_available', /failed with 418/],
    [503, {}, 'model_not_available', /failed with 503 for acme\/tiny; try again later/],
  ])('with %i is said with the next step', async (status, headers, code, message) => {
    always(status, headers as unknown as Record<string, string>)
    const error = await refusal()
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
    expect(waits.length).toBe(status === 503 ? 2 : 0)
  })

  it('says so of a token', async () => {
    hub.token = 'right'
    expect((await refusal({ hub: opened({ token: 'wrong' }) })).message).toContain('does not accept HF_TOKEN for acme/tiny (401)')
  })

  it('for a while is waited for as long as it says', async () => {
    const answers = [{ 'retry-after': '7' }, { ratelimit: '"api";r=0;t=55' }]
    hub.fault = (_, response) => {
      const headers = answers.shift()
      if (headers === undefined) return false
      response.writeHead(429, headers).end()
      return true
    }
    await pull()
    expect(waits.map((ms) => Math.floor(ms / 1000))).toEqual([7, 55])
  })

  it('for longer than anybody waits is said', async () => {
    always(429, { 'retry-after': '3600' })
    expect((await refusal()).message).toMatch(/takes no more requests for now \(429\); try again in 3600 s, or set HF_TOKEN/)
    expect(waits).toEqual([])
  })

  it('answers with a web page, with nonsense, or without end', async () => {
    always(200, { 'content-type': 'text/html' }, '<!doctype html>')
    expect((await refusal()).message).toContain('answers with a web page in place of JSON')
    always(200, { 'content-type': 'application/json' }, '{"sha": "../../etc"}')
    expect((await refusal()).message).toContain('its answer about acme/tiny names no commit')
    hub.fault = (_, response) => {
      const more = (): void => void (response.destroyed || response.write(Buffer.alloc(1 << 20, 32), () => setImmediate(more)))
      more()
      return true
    }
    expect((await refusal()).message).toContain('has more than 33554432 bytes')
  })

  it('leads in circles, to pages of another, or to pages without end', async () => {
    hub.fault = ({ path }, response) => void response.writeHead(302, { location: path }).end() === undefined
    expect((await refusal()).message).toContain('leads in circles')
    hub.fault = ({ path }, response) => {
      if (!path.includes('/tree/')) return false
      response.writeHead(200, { link: '<http://127.0.0.1:9/next>; rel="next"' }).end('[]')
      return true
    }
    expect((await refusal()).message).toContain('goes on at another address')
    let pages = 0
    hub.fault = ({ path }, response) => {
      if (!path.includes('/tree/')) return false
      response.writeHead(200, { link: `<${hub.endpoint}/tree/?cursor=${++pages}>; rel="next"` }).end('[]')
      return true
    }
    expect((await refusal()).message).toContain('its list of the files of acme/tiny has more than 1000 pages')
  })
})

describe('a repository that cannot be run', () => {
  it.each([
    ['another family', 'config.json', '{"model_type": "whisper"}', /models of type 'whisper' are not supported; supported: /],
    ['no type', 'config.json', '{}', /config\.json of acme\/tiny has no model_type/],
    ['no config', 'config.json', null, /has no config\.json/],
    ['no graph', 'onnx/vision_encoder', null, /has no graph onnx\/vision_encoder\.onnx in any format/],
  ])('is refused before its weights are downloaded: %s', async (_, file, text, message) => {
    for (const path of [...hub.files.keys()]) if (path.startsWith(file)) hub.files.delete(path)
    if (text !== null) hub.files.set(file, Buffer.from(text))
    expect((await refusal()).message).toMatch(message)
    expect(hub.downloads().filter((path) => path.endsWith('.onnx'))).toEqual([])
    expect(await partialModels(home)).toEqual([])
  })
})

describe('names', () => {
  it('are an owner and a name, and a revision', () => {
    expect(parseRepositoryName('a/b')).toEqual({ id: 'a/b', revision: 'main' })
    expect(parseRepositoryName('a/b.c@refs/pr/3')).toEqual({ id: 'a/b.c', revision: 'refs/pr/3' })
    for (const wrong of ['', 'a', 'a/b/c', '../b', 'a/..', 'a/.b', 'a/b@', 'a/b@x@y', 'a/b@../..', 'a/b c', 'https://x/y', '-/b\n'])
      expect(parseRepositoryName(wrong), wrong).toBeNull()
    expect(isSafePath('onnx/model_q4.onnx_data_1')).toBe(true)
  })

  it('of a hub are addresses without a password', () => {
    expect(openHub({ endpoint: 'https://mirror.example/hf/' }).endpoint).toBe('https://mirror.example/hf')
    for (const wrong of ['mirror', 'ftp://x', 'https://a:b@x', 'https://x?y'])
      expect(() => openHub({ endpoint: wrong })).toThrow('HF_ENDPOINT')
  })
})
