// The small files of the model: configuration as a SmolVLM has it, and a tokenizer that is trained on nothing. Its
// first pieces are those of the shipped model's vocabulary, so English costs about as many tokens as it does elsewhere;
// the rest are made up, to fill it to its size.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { byteOfCharacter } from '../../../src/backends/onnx/runtime/byte-level.ts'
import { type Shape, tokensPerTile } from './shape.ts'

const SHIPPED = new URL('../../../models/service-1-pro/pictures/tokenizer.json', import.meta.url)
const FIRST = ['<|endoftext|>', '<|im_start|>', '<|im_end|>']
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
/**
 * Words that prompts are made of, whole in every vocabulary of this size; the shipped one is lower-case and lacks them.
 */
const WHOLE = [
  ...Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ'),
  ...'Yes No YES NO yes no Statement Question Option Answer Assistant User The This There Is Are Does What Which Who How It Copy Give'.split(
    ' ',
  ),
]
/** SmolVLM's base vocabulary; behind it stand the tokens of pictures, and some that say nothing. */
const BASE = 49_152

const TEMPLATE =
  "<|im_start|>{% for message in messages %}{{message['role'] | capitalize}}" +
  "{% if message['content'][0]['type'] == 'image' %}{{':'}}{% else %}{{': '}}{% endif %}" +
  "{% for line in message['content'] %}{% if line['type'] == 'text' %}{{line['text']}}" +
  "{% elif line['type'] == 'image' %}{{ '<image>' }}{% endif %}{% endfor %}<end_of_utterance>\n" +
  "{% endfor %}{% if add_generation_prompt %}{{ 'Assistant:' }}{% endif %}"

export interface Vocabulary {
  /** By id. */
  readonly tokens: readonly string[]
  readonly merges: readonly (readonly [string, string])[]
  readonly special: ReadonlySet<string>
}

export function makeVocabulary({ vocabulary }: Shape): Vocabulary {
  const shipped = JSON.parse(readFileSync(SHIPPED, 'utf8')) as { model: { merges: [string, string][] } }
  const known = new Set([...FIRST, ...byteOfCharacter().keys()])
  const merges: (readonly [string, string])[] = []
  const join = (left: string, right: string): void => {
    if (known.has(left + right) || known.size >= BASE) return
    known.add(left + right)
    merges.push([left, right])
  }
  for (const word of WHOLE) {
    for (const start of ['Ġ', '']) {
      const letters = [...start, ...word]
      letters.slice(1).forEach((letter, i) => {
        join(letters.slice(0, i + 1).join(''), letter)
      })
    }
  }
  for (const [left, right] of shipped.model.merges) join(left, right)
  for (const token of [...known].slice(FIRST.length)) for (const letter of LETTERS) join(token, letter)

  const rows = [1, 2, 3, 4, 5, 6]
  const added = [
    '<global-img>',
    ...rows.flatMap((row) => rows.map((column) => `<row_${row}_col_${column}>`)),
    '<fake_token_around_image>',
    '<image>',
    '<end_of_utterance>',
  ]
  while (known.size + added.length < vocabulary) added.push(`<|reserved_special_token_${added.length}|>`)
  return { tokens: [...known, ...added], merges, special: new Set([...FIRST, ...added]) }
}

export function writeConfiguration(folder: string, shape: Shape, { tokens, merges, special }: Vocabulary): void {
  const write = (file: string, value: unknown) => writeFileSync(join(folder, file), `${JSON.stringify(value)}\n`)
  const idOf = (token: string) => tokens.indexOf(token)
  const { vision } = shape
  const ends = { bos_token_id: idOf('<|im_start|>'), eos_token_id: idOf('<end_of_utterance>'), pad_token_id: idOf('<|im_end|>') }
  const named = { bos_token: '<|im_start|>', eos_token: '<end_of_utterance>', pad_token: '<|im_end|>', unk_token: '<|endoftext|>' }
  const halves = [0.5, 0.5, 0.5]

  write('tokenizer.json', {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [...special].map((content) => ({
      id: idOf(content),
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Digits', individual_digits: true },
        { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
      ],
    },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(
        tokens.filter((token) => !special.has(token) || FIRST.includes(token)).map((token) => [token, idOf(token)]),
      ),
      merges,
    },
  })
  write('tokenizer_config.json', {
    ...named,
    clean_up_tokenization_spaces: false,
    model_max_length: shape.positions,
    processor_class: 'Idefics3Processor',
    tokenizer_class: 'GPT2Tokenizer',
    chat_template: TEMPLATE,
  })
  write('generation_config.json', ends)
  write('processor_config.json', { image_seq_len: tokensPerTile(shape), processor_class: 'Idefics3Processor' })
  write('preprocessor_config.json', {
    image_processor_type: 'Idefics3ImageProcessor',
    processor_class: 'Idefics3Processor',
    do_convert_rgb: true,
    do_image_splitting: true,
    do_normalize: true,
    do_pad: true,
    do_rescale: true,
    do_resize: true,
    image_mean: halves,
    image_std: halves,
    max_image_size: { longest_edge: vision.tile },
    resample: 1,
    rescale_factor: 1 / 255,
    size: { longest_edge: vision.longestEdge },
  })
  write('config.json', {
    architectures: ['Idefics3ForConditionalGeneration'],
    model_type: 'idefics3',
    image_token_id: idOf('<image>'),
    scale_factor: vision.scale,
    tie_word_embeddings: false,
    use_cache: true,
    text_config: {
      ...ends,
      model_type: 'llama',
      hidden_act: 'silu',
      hidden_size: shape.hidden,
      intermediate_size: shape.inner,
      num_hidden_layers: shape.layers,
      num_attention_heads: shape.heads,
      num_key_value_heads: shape.keyHeads,
      head_dim: shape.headSize,
      vocab_size: shape.vocabulary,
      max_position_embeddings: shape.positions,
      rms_norm_eps: shape.normEpsilon,
      rope_theta: shape.rotaryBase,
      tie_word_embeddings: false,
    },
    vision_config: {
      model_type: 'idefics3_vision',
      hidden_act: 'gelu_pytorch_tanh',
      hidden_size: vision.hidden,
      intermediate_size: vision.inner,
      num_hidden_layers: vision.layers,
      num_attention_heads: vision.heads,
      image_size: vision.tile,
      patch_size: vision.patch,
      layer_norm_eps: vision.normEpsilon,
    },
  })
}
