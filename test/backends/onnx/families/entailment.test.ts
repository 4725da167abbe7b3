// Entailment models against transformers, on the tiny random models of test/golden/entailment (see make.py there).
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import type { Branch, Candidate } from '../../../../src/backends/backend.ts'
import { EntailmentGraph } from '../../../../src/backends/onnx/families/entailment/graph.ts'
import { hypothesesOf } from '../../../../src/backends/onnx/families/entailment/hypotheses.ts'
import { entailmentLabelsOf } from '../../../../src/backends/onnx/families/entailment/labels.ts'
import { pairLayoutOf } from '../../../../src/backends/onnx/families/entailment/pair-layout.ts'
import { loadOnnxModel } from '../../../../src/backends/onnx/index.ts'
import { openFolder, readJson } from '../../../../src/backends/onnx/runtime/layout.ts'
import { makeTokenizer } from '../../../../src/backends/onnx/runtime/tokenizer.ts'
import { logSoftmax } from '../../../../src/core/math.ts'
import { choice, createEngine, EngineError, extract, noul, score, select } from '../../../../src/index.ts'
import { textPrompt } from '../../../contract/backend-suite.ts'

interface Golden {
  readonly pairs: readonly {
    state: string
    statement: string
    ids: readonly number[]
    types: readonly number[]
    logits: readonly number[]
  }[]
  readonly labels: readonly string[]
  /** What transformers' zero-shot pipeline gives for the labels, on the state of the first pair. */
  readonly zeroShot: { readonly exclusive: readonly number[]; readonly independent: readonly number[] }
}

const HERE = new URL('../../../golden/entailment/', import.meta.url)
const goldens: Record<string, Golden> = JSON.parse(await readFile(new URL('goldens.json', HERE), 'utf8'))
const folderOf = (family: string): string => fileURLToPath(new URL(family, HERE))
const load = (family: string) => loadOnnxModel(folderOf(family), { inProcess: true, threads: 1 })
const none = (name: string): Candidate => ({ name, description: null })
const branchOf = (readout: Branch['readout'], instructions: string, names: readonly string[]): Branch => ({
  readout,
  instructions,
  candidates: names.map(none),
  image: null,
})

for (const [family, { pairs, labels, zeroShot }] of Object.entries(goldens)) {
  describe(`${family} against transformers`, () => {
    it('writes pairs as the same ids and types, and gives the same logits', async () => {
      const folder = await openFolder(folderOf(family))
      const tokenizerJson = await readJson(folder, 'tokenizer.json')
      const tokenizer = makeTokenizer(tokenizerJson, await readJson(folder, 'tokenizer_config.json'))
      const layout = pairLayoutOf(folder.name, tokenizerJson)
      const named = entailmentLabelsOf(folder)
      const graph = await EntailmentGraph.open(folder, { threads: 1 }, named.count)
      for (const { state, statement, ids, types, logits } of pairs) {
        const pair = layout.encode(tokenizer.encode(state), tokenizer.encode(statement))
        expect(pair).toEqual({ ids, types })
        expect(pair.ids.length).toBe(tokenizer.encode(state).length + tokenizer.encode(statement).length + layout.controls)
        const found = await graph.judge(pair)
        expect(found.length).toBe(named.count)
        found.forEach((logit, i) => {
          expect(Math.abs(logit - (logits[i] as number))).toBeLessThan(1e-3)
        })
      }
      await graph.close()
    })

    it('reads a claim from entailment against contradiction, by their names', async () => {
      const backend = await load(family)
      const { state, statement, logits } = pairs[0] as Golden['pairs'][number]
      const prefix = await backend.open(textPrompt(state))
      const [scores] = await prefix.score([branchOf('binary', statement, ['true', 'false'])])
      const config = JSON.parse(await readFile(join(folderOf(family), 'config.json'), 'utf8')) as { id2label: Record<string, string> }
      const placeOf = (pattern: RegExp) => Object.entries(config.id2label).find(([, label]) => pattern.test(label.toLowerCase()))?.[0]
      const all = logSoftmax([...logits])
      const expected = [placeOf(/^entailment/), placeOf(/^contradiction|^not_/)].map((place) => all[Number(place)] as number)
      scores?.rows[0]?.logProbabilities.forEach((logP, i) => {
        expect(logP).toBeCloseTo(expected[i] as number, 3)
      })
      expect(scores?.rows[0]?.mass).toBeCloseTo(Math.exp(expected[0] as number) + Math.exp(expected[1] as number), 3)
      await backend.close()
    })

    it('shares options as zero-shot classification does', async () => {
      const backend = await load(family)
      const prefix = await backend.open(textPrompt((pairs[0] as Golden['pairs'][number]).state))
      const [exclusive] = await prefix.score([branchOf('exclusive', 'What is this about?', labels)])
      exclusive?.rows[0]?.logProbabilities.forEach((logP, i) => {
        expect(Math.exp(logP)).toBeCloseTo(zeroShot.exclusive[i] as number, 3)
      })
      // The pipeline leaves neutral out of it: so do claims, once they are renormalised.
      for (const [i, label] of labels.entries()) {
        const claim = `The answer to "What is this about?" is: ${label}.`
        const [scores] = await prefix.score([branchOf('binary', claim, ['true', 'false'])])
        const [yes = 0, no = 0] = scores?.rows[0]?.logProbabilities ?? []
        expect(Math.exp(yes) / (Math.exp(yes) + Math.exp(no))).toBeCloseTo(zeroShot.independent[i] as number, 3)
      }
      await backend.close()
    })

    it('answers what has options, and refuses to quote', async () => {
      const engine = await createEngine({ models: [await load(family)] })
      const { answers } = await engine.ask({
        state: 'Order 4711 arrived broken.',
        questions: {
          angry: noul('The customer is angry.'),
          topic: choice('What is it about?', ['refund', 'delivery', 'praise']),
          urgency: score('How urgent is it?', ['low', 'medium', 'high']),
          mentioned: select('What is mentioned?', ['price', 'date']),
        },
      })
      expect(Object.values(answers).map(({ type }) => type)).toEqual(['noul', 'choice', 'score', 'select'])
      const reading = engine.ask({ state: 'Order 4711.', questions: { words: extract('Which order?') } })
      await expect(reading).rejects.toMatchObject({ message: expect.stringContaining('judges statements, it quotes and writes nothing') })
      await engine.close()
    })
  })
}

describe('an entailment model', () => {
  it('refuses what does not fit with both numbers, rather than cut it', async () => {
    const backend = await load('bert')
    const word = 'broken '
    await expect(backend.open(textPrompt(word.repeat(382)))).rejects.toThrow(
      'the state would take 385 tokens, the model bert takes 384 tokens; shorten it',
    )
    const prefix = await backend.open(textPrompt(word.repeat(378)))
    expect(prefix.tokens).toBe(381)
    const [scores] = await prefix.score([branchOf('binary', 'is broken', ['true', 'false'])])
    expect(scores?.inputTokens).toBe(3)
    const longer = prefix.score([branchOf('binary', 'it is broken', ['true', 'false'])])
    await expect(longer).rejects.toMatchObject({ code: 'context_length_exceeded', message: expect.stringMatching(/take 385 tokens/) })
    await expect(backend.open(textPrompt('x'.repeat(40_000)))).rejects.toThrow(/would take 40000 letters, the model bert takes 384 tokens/)
    await backend.close()
  })

  it('takes no control token from a text, and unknown characters as unknown', async () => {
    for (const family of Object.keys(goldens)) {
      const folder = await openFolder(folderOf(family))
      const tokenizer = makeTokenizer(await readJson(folder, 'tokenizer.json'), await readJson(folder, 'tokenizer_config.json'))
      for (const name of ['[CLS]', '[SEP]', '<s>', '</s>', '[MASK]']) {
        const id = tokenizer.control(name)
        if (id !== undefined) expect(tokenizer.encode(`a ${name} b${name}`), `${family} ${name}`).not.toContain(id)
      }
      expect(tokenizer.encode('東京').length).toBeGreaterThan(0)
    }
  })

  it('answers on an empty state', async () => {
    const backend = await load('deberta')
    for (const prompt of [textPrompt(''), { pieces: [] }, textPrompt(' \n ')]) {
      const prefix = await backend.open(prompt)
      const [scores] = await prefix.score([branchOf('exclusive', 'Which?', ['red', 'blue'])])
      expect(scores?.rows[0]?.logProbabilities.every(Number.isFinite)).toBe(true)
    }
    await backend.close()
  })

  it('writes one statement for a claim, and one for each option', () => {
    expect(hypothesesOf(branchOf('binary', 'It is late', ['true', 'false']))).toEqual(['It is late.'])
    expect(hypothesesOf(branchOf('binary', 'Is it late?', ['true', 'false']))).toEqual(['The answer to "Is it late?" is: yes.'])
    const described: Branch = {
      ...branchOf('independent', 'What is there?', []),
      candidates: [{ name: 'price', description: 'a sum of money' }],
    }
    expect(hypothesesOf(described)).toEqual(['One of the answers to "What is there?" is: price (a sum of money).'])
  })
})

describe('labels', () => {
  const labelled = (...names: string[]) => ({ name: 'tiny', config: { id2label: Object.fromEntries(names.entries()) } })

  it('are found by name, in any order and spelling', () => {
    expect(entailmentLabelsOf(labelled('contradiction', 'neutral', 'entailment'))).toEqual({ entailment: 2, contradiction: 0, count: 3 })
    expect(entailmentLabelsOf(labelled('ENTAILMENT', 'NEUTRAL', 'CONTRADICTION'))).toEqual({ entailment: 0, contradiction: 2, count: 3 })
    expect(entailmentLabelsOf(labelled('not_entailment', 'entailment'))).toEqual({ entailment: 1, contradiction: 0, count: 2 })
  })

  it.each([
    [
      ['LABEL_0', 'LABEL_1', 'LABEL_2'],
      'names its labels LABEL_0, LABEL_1, LABEL_2, so which of them is entailment is not said; write the names from its model card into id2label',
    ],
    [
      ['NEGATIVE', 'POSITIVE'],
      'has the labels NEGATIVE, POSITIVE, and not one of them is entailment; take a model of natural language inference (NLI)',
    ],
    [['entailment', 'LABEL_1'], /not one of them is contradiction or not_entailment; write the names/],
    [['entailment', 'entails', 'contradiction'], /not one of them is entailment/],
    [[], /has the labels none, and not one of them is entailment/],
  ])('%j are refused', (names, message) => {
    expect(() => entailmentLabelsOf(labelled(...names))).toThrow(message)
  })

  it('of another kind of model are refused', () => {
    const config = { architectures: ['BertForMaskedLM'], id2label: { 0: 'entailment', 1: 'contradiction' } }
    expect(() => entailmentLabelsOf({ name: 'tiny', config })).toThrow(
      "config.json of 'tiny' is of a BertForMaskedLM, which judges no statements; take a model of natural language inference (NLI)",
    )
    expect(() => entailmentLabelsOf({ name: 'tiny', config: { id2label: { 1: 'entailment', 2: 'contradiction' } } })).toThrow(
      'numbers its 2 labels (entailment, contradiction) otherwise than from 0',
    )
  })
})

describe('a folder of an entailment model with', () => {
  let root = ''
  afterEach(() => rm(root, { recursive: true }))
  // biome-ignore lint/suspicious/noExplicitAny: a file has no types
  type JsonFile = Record<string, any>
  const edit = (file: string, change: (json: JsonFile) => void) => async (folder: string) => {
    const json = JSON.parse(await readFile(join(folder, file), 'utf8'))
    change(json)
    await writeFile(join(folder, file), JSON.stringify(json))
  }

  it.each<[what: string, family: string, change: (folder: string) => Promise<void>, message: RegExp]>([
    ['no graph', 'bert', (folder) => rm(join(folder, 'onnx/model.onnx')), /has no onnx\/model.onnx \(none of its dtypes is there\)/],
    ['no tokenizer', 'bert', (folder) => rm(join(folder, 'tokenizer.json')), /has no tokenizer.json; download the whole repository$/],
    [
      'the graph of a model with other labels',
      'bert',
      (folder) => cp(join(folderOf('deberta'), 'onnx/model.onnx'), join(folder, 'onnx/model.onnx')),
      /onnx\/model.onnx of 'tiny' has 2 labels, config.json names 3: they are of different models; download the whole repository again/,
    ],
    [
      'the graph of a decoder',
      'bert',
      (folder) => cp(fileURLToPath(new URL('../text-decoders/llama/onnx/model.onnx', HERE)), join(folder, 'onnx/model.onnx')),
      /onnx\/model.onnx of 'tiny' asks for position_ids, past_key_values.0.key, .* which no entailment model does/,
    ],
    [
      'the tokenizer of a larger model',
      'deberta',
      (folder) => cp(join(folderOf('roberta'), 'tokenizer.json'), join(folder, 'tokenizer.json')),
      /tokenizer.json of 'tiny' has \d+ tokens, config.json says \d+; take both files from the same model/,
    ],
    [
      'a tokenizer that knows no pairs',
      'bert',
      edit('tokenizer.json', (json) => {
        json.post_processor = null
      }),
      /does not say how two texts are written in one row \(post_processor\); take the folder as it was published/,
    ],
    [
      'unnamed labels',
      'roberta',
      edit('config.json', (json) => {
        json.id2label = { 0: 'LABEL_0', 1: 'LABEL_1', 2: 'LABEL_2' }
      }),
      /so which of them is entailment is not said; write the names from its model card into id2label/,
    ],
  ])('%s is refused', async (_, family, change, message) => {
    root = await mkdtemp(join(tmpdir(), 'assay-entailment-'))
    const folder = join(root, 'tiny')
    await cp(folderOf(family), folder, { recursive: true })
    await change(folder)
    const error: unknown = await loadOnnxModel(folder, { inProcess: true }).then(
      async (backend) => backend.close(),
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(EngineError)
    expect((error as EngineError).code).toBe('model_not_available')
    expect((error as EngineError).message).toMatch(message)
    expect((error as EngineError).message).not.toContain(root)
  })
})
