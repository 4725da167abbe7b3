// A family of text-only decoders in the layout of Llama exports: one graph, `onnx/model.onnx`, which takes ids; a chat
// template of plain texts.
import { decoderFamily } from '../../../../../src/backends/onnx/decoder/backend.ts'
import { makePromptBuilder } from '../../../../../src/backends/onnx/decoder/chat-template.ts'
import {
  contextLengthOf,
  endTokensOf,
  readChatTemplate,
  templateVariablesOf,
} from '../../../../../src/backends/onnx/decoder/configuration.ts'
import { findGraph, readJson, TEXT_DTYPES } from '../../../../../src/backends/onnx/runtime/layout.ts'
import { makeTokenizer } from '../../../../../src/backends/onnx/runtime/tokenizer.ts'

export const llama = decoderFamily(async (folder, options) => {
  const tokenizerConfig = await readJson(folder, 'tokenizer_config.json')
  const tokenizer = makeTokenizer(await readJson(folder, 'tokenizer.json'), tokenizerConfig)
  const template = await readChatTemplate(folder, tokenizerConfig)
  const endTokens = await endTokensOf(folder, tokenizer, tokenizerConfig)
  const variables = templateVariablesOf(tokenizerConfig)
  return {
    tokenizer,
    prompts: makePromptBuilder({ tokenizer, template, variables, content: 'text', images: null }),
    images: null,
    graphs: { embedder: null, decoder: findGraph(folder, 'model', TEXT_DTYPES, options), others: [] },
    endTokens,
    contextLength: contextLengthOf(folder),
    template: { template, endTokens },
  }
})
