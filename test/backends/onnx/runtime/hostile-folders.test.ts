// Model folders that somebody else made: whatever is in them, loading ends in bounded time with a message that says
// what is wrong and what to do.
import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadOnnxModel } from '../../../../src/backends/onnx/index.ts'
import { checkedTokenizer, repeatsRepetition } from '../../../../src/backends/onnx/runtime/checked-tokenizer.ts'
import { openFolder } from '../../../../src/backends/onnx/runtime/layout.ts'
import { boundedWork } from '../../../../src/core/bounded-work.ts'
import { EngineError } from '../../../../src/core/errors.ts'

const TINY = fileURLToPath(new URL('../../../golden/idefics3/model', import.meta.url))
const SHIPPED = fileURLToPath(new URL('../../../../models/service-1-pro/pictures', import.meta.url))

let root: string
let folder: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-hostile-'))
  folder = join(root, 'tiny')
  await cp(TINY, folder, { recursive: true })
})
afterEach(() => rm(root, { recursive: true }))

/** The refusal of the folder, which names neither its path nor that of this machine. */
async function refused(path = folder): Promise<string> {
  const error: unknown = await loadOnnxModel(path, { inProcess: true, scoring: 'plain' }).then(
    async (backend) => backend.close(),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(EngineError)
  const { code, message } = error as EngineError
  expect(code).toBe('model_not_available')
  expect(message).not.toContain(root)
  return message
}

// biome-ignore lint/suspicious/noExplicitAny: a file has no types
type JsonFile = Record<string, any>

async function edit(file: string, change: (json: JsonFile) => void): Promise<void> {
  const json = JSON.parse(await readFile(join(folder, file), 'utf8'))
  change(json)
  await writeFile(join(folder, file), JSON.stringify(json))
}

const useTemplate = (template: string) => writeFile(join(folder, 'chat_template.jinja'), template)

describe('a chat template', () => {
  it('with a list that no array can hold is refused', async () => {
    await useTemplate('{{ range(1000000000) | length }}{{ messages[0].content }}')
    expect(await refused()).toBe(
      'the chat template cannot be used (range() of more than 100000 numbers); take the folder as it was published',
    )
  })

  it('with loops in loops is stopped', async () => {
    const loops = '{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}{% endfor %}'
    await useTemplate(`${loops}{{ messages[0].content }}`)
    expect(await refused()).toBe(
      'the chat template did not end within 2 s, so it may be one that never ends; take the folder as it was published',
    )
  })

  it.each([
    ['cannot be read', '{% for %}'],
    ['raises an error', '{{ raise_exception("no users here") }}'],
    ['doubles a text', '{% set n = namespace(x="a") %}{% for i in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}{{ n.x }}'],
  ])('that %s is refused', async (_, template) => {
    await useTemplate(template)
    expect(await refused()).toMatch(/^the chat template cannot be used \(.+\); take the folder as it was published$/)
  })

  it('that loops for some states only is stopped with the first of them', async () => {
    const loop = '{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}'
    await useTemplate(
      `{% if messages[0].content | length > 1 %}${loop}{% endif %}{% for c in messages[0].content %}{{ c.text }}{% endfor %}<end_of_utterance>`,
    )
    const backend = await loadOnnxModel(folder, { inProcess: true, scoring: 'plain' })
    const opened = backend.open({ pieces: [{ type: 'text', text: 'Red.', source: null }] })
    await expect(opened).rejects.toThrow('the chat template did not end within 2 s')
    await backend.close()
  })
})

describe('a tokenizer', () => {
  it.each(['(a+)+$', '(?:\\s*|x)*y', '(\\p{L}{2,})*', '((a*)b){3,9}'])('with the expression %s is refused', async (Regex) => {
    await edit('tokenizer.json', (json) => {
      json.pre_tokenizer = { type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false }
    })
    expect(await refused()).toMatch(/^tokenizer.json of 'tiny' has an expression that may take for ever \(".+"\); take the folder/)
  })

  it('whose expression is slow by overlapping words is stopped', async () => {
    await edit('tokenizer.json', (json) => {
      json.pre_tokenizer = { type: 'Split', pattern: { Regex: '(?:a|a|aa)*b' }, behavior: 'Isolated', invert: false }
    })
    expect(await refused()).toContain('takes more than 5 s for a few words, so it has an expression that never ends')
  })

  it.each([
    ['pre_tokenizer', { type: 'Unheard' }, 'Unknown PreTokenizer type: Unheard'],
    ['normalizer', { type: 'Unheard' }, 'Unknown Normalizer type: Unheard'],
    ['pre_tokenizer', { type: 'Split', pattern: { Regex: '(' }, behavior: 'Isolated' }, 'regular expression'],
  ])('with an unknown or broken %s is refused', async (field, value, message) => {
    await edit('tokenizer.json', (json) => {
      json[field] = value
    })
    expect(await refused()).toMatch(new RegExp(`^tokenizer.json of 'tiny' cannot be used \\(.*${message}.*\\); take`, 'i'))
  })

  it('with the expressions of published models is taken', () => {
    const published = [
      `'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+`,
      `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`,
      `[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{M}]*[\\p{Ll}\\p{M}]+(?i:'s|'t)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s+`,
      `\\d{1,3}(?=(?:\\d{3})*\\b)`,
      `[!"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_\`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*`,
    ]
    expect(published.filter(repeatsRepetition)).toEqual([])
  })

  it('that is never made is stopped', () => {
    const refuse = () => new Error('late')
    expect(() => boundedWork(50, () => /^(a|a)*$/.test(`${'a'.repeat(60)}!`), refuse)).toThrow('late')
    expect(boundedWork(1000, () => boundedWork(1000, () => 7, refuse), refuse)).toBe(7)
    expect(
      checkedTokenizer(
        'x',
        {},
        () => 'made',
        () => null,
      ),
    ).toBe('made')
  })
})

describe('what is no file', () => {
  const FILES = ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx/embed_tokens.onnx', 'onnx/decoder_model_merged.onnx']

  it.each(FILES)('is refused in the place of %s', async (file) => {
    const path = join(folder, file)
    await rename(path, `${path}.kept`)
    execFileSync('mkfifo', [path])
    expect(await refused()).toBe(`${file} of 'tiny' is a pipe, a socket or a device, not a file; download it again`)
    await rm(path)
    await mkdir(path)
    expect(await refused()).toBe(`${file} of 'tiny' is a folder, not a file; download it again`)
    await rm(path, { recursive: true })
    await symlink('/dev/zero', path)
    expect(await refused()).toContain(`${file} of 'tiny' is a link that leads out of the folder`)
  })

  it('is refused beside the graphs under any name, since a graph may take its weights from there', async () => {
    execFileSync('mkfifo', [join(folder, 'onnx', 'weights.bin')])
    expect(await refused()).toBe("onnx/weights.bin of 'tiny' is a pipe, a socket or a device, not a file; download it again")
  })

  it('is left alone where no model looks', async () => {
    execFileSync('mkfifo', [join(folder, 'notes.txt')])
    expect((await openFolder(folder)).modelType).toBe('idefics3')
  })
})

describe('a link', () => {
  it('out of the folder is refused, to weights too', async () => {
    const shipped = join(root, 'shipped')
    await cp(SHIPPED, shipped, { recursive: true })
    await rename(join(shipped, 'onnx', 'pictures.onnx_data'), join(root, 'weights'))
    await symlink('../../weights', join(shipped, 'onnx', 'pictures.onnx_data'))
    expect(await refused(shipped)).toBe(
      "onnx/pictures.onnx_data of 'shipped' is a link that leads out of the folder; copy the file it leads to into the folder",
    )
    await rm(join(shipped, 'onnx', 'pictures.onnx_data'))
    // The path in the graph may lead out as well.
    const graph = join(shipped, 'onnx', 'pictures_state_encoder.onnx')
    const bytes = await readFile(graph)
    await writeFile(graph, Buffer.from(bytes.toString('latin1').replaceAll('pictures.onnx_data', '../../other-weight'), 'latin1'))
    await cp(join(root, 'weights'), join(root, 'other-weight'))
    expect(await refused(shipped)).toContain('takes weights from outside of the folder')
    await writeFile(graph, bytes)
    await writeFile(join(shipped, 'onnx', 'pictures.onnx_data'), (await readFile(join(root, 'weights'))).subarray(0, 1_000_000))
    expect(await refused(shipped)).toMatch(
      /^pictures\.onnx_data beside onnx\/pictures_(?:state_encoder|branch_reader)\.onnx has 1000000 bytes, and .+ would end at byte \d+; check that the file is whole/,
    )
  })

  it('within the folder, and from a snapshot to the blobs of its cache, is followed', async () => {
    await rename(join(folder, 'tokenizer.json'), join(folder, 'kept'))
    await symlink('kept', join(folder, 'tokenizer.json'))
    await openFolder(folder)
    const [snapshot, blobs] = [join(root, 'cache', 'snapshots', '0a1b'), join(root, 'cache', 'blobs')]
    await mkdir(join(root, 'cache', 'snapshots'), { recursive: true })
    await mkdir(blobs)
    await cp(TINY, snapshot, { recursive: true })
    await rename(join(snapshot, 'tokenizer.json'), join(blobs, 'f00d'))
    await symlink('../../blobs/f00d', join(snapshot, 'tokenizer.json'))
    await openFolder(snapshot)
  })
})

describe('a number', () => {
  it.each([-1, 0, 1.5, 1e300, 2 ** 40, '1024', null])('that is no context length is refused: %s', async (length) => {
    await edit('config.json', (json) => {
      json.text_config.max_position_embeddings = length
      json.max_position_embeddings = length
    })
    expect(await refused()).toMatch(/^max_position_embeddings of config.json is .+ was expected; download the folder again$/)
  })

  it.each([
    ['preprocessor_config.json', 'max_image_size', { longest_edge: 1e9 }, 'max_image_size.longest_edge'],
    ['preprocessor_config.json', 'size', { longest_edge: -5 }, 'size.longest_edge'],
    ['processor_config.json', 'image_seq_len', 1e12, 'image_seq_len'],
  ])('of %s that is absurd is refused: %s', async (file, field, value, named) => {
    await edit(file, (json) => {
      json[field] = value
    })
    expect(await refused()).toContain(named)
  })

  it.each([
    ['context_length', -4096, 'context_length -4096; a positive whole number is taken'],
    ['context_length', 1e15, 'context_length 1000000000000000; at most 65536 is taken'],
    ['kinds', ['binary', 'oracle'], 'kinds[1] "oracle"; one of binary'],
    ['image', { longest_edge: 1024, tile_size: 1e300, cells_per_tile: 64 }, 'image.tile_size'],
  ])('or a kind that the small family does not know is refused: %s', async (field, value, message) => {
    const config = JSON.parse(await readFile(join(SHIPPED, 'config.json'), 'utf8'))
    await writeFile(join(folder, 'config.json'), JSON.stringify({ ...config, [field]: value }))
    expect(await refused()).toContain(message)
  })
})

describe('a truncated file', () => {
  it.each([
    'config.json',
    'tokenizer.json',
    'tokenizer_config.json',
    'preprocessor_config.json',
    'processor_config.json',
    'generation_config.json',
    'onnx/embed_tokens.onnx',
    'onnx/decoder_model_merged.onnx',
    'onnx/vision_encoder.onnx',
  ])('is refused by its name: %s', async (file) => {
    const bytes = await readFile(join(folder, file))
    for (const share of [0, 0.5, 0.97]) {
      await truncate(join(folder, file), Math.floor(bytes.length * share))
      expect(await refused()).toContain(file)
      await writeFile(join(folder, file), bytes)
    }
  })

  it('of the chat template is refused', async () => {
    await writeFile(join(folder, 'chat_template.json'), '{"chat_template": "{% for')
    expect(await refused()).toBe("chat_template.json of 'tiny' is not JSON; download it again")
  })
})
