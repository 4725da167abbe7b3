// Writes a tiny Llama with seeded random weights as a folder in Hugging Face layout, with the tokenizer of the tiny
// Idefics3.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeDecoder } from '../../../../../bench/speed/model/graphs.ts'
import { makeWeights } from '../../../../../bench/speed/model/weights.ts'

const TOKENIZER = fileURLToPath(new URL('../../../../golden/idefics3/model/tokenizer.json', import.meta.url))
const TEMPLATE =
  "{{ bos_token }}{% for message in messages %}{{ message['role'] + '\\n\\n' + message['content'] + '<end_of_utterance>' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n\\n' }}{% endif %}"

export const LLAMA_CONTEXT = 1536

export function writeLlama(folder: string): void {
  mkdirSync(join(folder, 'onnx'), { recursive: true })
  copyFileSync(TOKENIZER, join(folder, 'tokenizer.json'))
  const { added_tokens } = JSON.parse(readFileSync(TOKENIZER, 'utf8')) as { added_tokens: { id: number; content: string }[] }
  const idOf = (token: string) => added_tokens.find(({ content }) => content === token)?.id
  const write = (file: string, value: unknown) => writeFileSync(join(folder, file), JSON.stringify(value))
  write('config.json', { model_type: 'toy-llama', max_position_embeddings: LLAMA_CONTEXT })
  write('generation_config.json', { eos_token_id: idOf('<end_of_utterance>') })
  write('tokenizer_config.json', { bos_token: '<|im_start|>', eos_token: '<end_of_utterance>', chat_template: TEMPLATE })
  const shape = {
    hidden: 32,
    layers: 2,
    heads: 4,
    keyHeads: 2,
    headSize: 16,
    inner: 64,
    vocabulary: Math.max(...added_tokens.map(({ id }) => id)) + 1,
    positions: LLAMA_CONTEXT,
    rotaryBase: 10_000,
    normEpsilon: 1e-5,
  }
  writeDecoder(join(folder, 'onnx', 'model.onnx'), shape, makeWeights(11), 'fp32', 'input_ids')
}
