// Decoders of text alone, as they are exported for transformers.js: one graph that takes ids, `onnx/model.onnx` (or
// `decoder_model_merged.onnx`), and a chat template of plain texts. What differs between Llama, Qwen, SmolLM, Gemma,
// Granite and LFM2 stands in their graphs and templates; how a graph is fed follows from the inputs it declares.
import { EngineError } from '../../../../core/errors.ts'
import { decoderFamily } from '../../decoder/backend.ts'
import { makePromptBuilder } from '../../decoder/chat-template.ts'
import { contextLengthOf, endTokensOf, namedTokensOf, readChatTemplate, templateVariablesOf } from '../../decoder/configuration.ts'
import { refuseOtherGraph } from '../../decoder/fit.ts'
import { tokenizerOf } from '../../runtime/folder-tokenizer.ts'
import { findGraph, readJson, TEXT_DTYPES } from '../../runtime/layout.ts'
import { refusePrefixSpace } from './prefix-space.ts'

/** Tokens that end a turn in these families, whether or not generation_config.json names them. */
const TURN_ENDS = ['<|im_end|>', '<|eot_id|>', '<end_of_turn>']

export const textDecoder = decoderFamily(async (folder, options) => {
  const tokenizerJson = await readJson(folder, 'tokenizer.json')
  const tokenizerConfig = await readJson(folder, 'tokenizer_config.json')
  const isMerged = folder.files.some((file) => file.startsWith('onnx/decoder_model_merged'))
  const decoder = findGraph(folder, isMerged ? 'decoder_model_merged' : 'model', TEXT_DTYPES, options)
  refusePrefixSpace(folder.name, tokenizerJson)
  const tokenizer = tokenizerOf(folder, tokenizerJson, tokenizerConfig)
  const template = await readChatTemplate(folder, tokenizerConfig)
  for (const [variable, token] of Object.entries(namedTokensOf(tokenizerConfig))) {
    if (token === '' || !template.includes(variable) || tokenizer.control(token) !== undefined) continue
    throw new EngineError(
      'model_not_available',
      `tokenizer_config.json of '${folder.name}' has ${variable} ${token}, which is no control token of tokenizer.json; take both files from the same model`,
    )
  }
  const endTokens = await endTokensOf(folder, tokenizer, tokenizerConfig, TURN_ENDS)
  const variables = templateVariablesOf(tokenizerConfig)
  return {
    tokenizer,
    prompts: makePromptBuilder({ tokenizer, template, variables, content: 'text', images: null }),
    images: null,
    graphs: { embedder: null, decoder, others: [] },
    fit: (session) => refuseOtherGraph(folder, decoder, session, tokenizer, endTokens),
    endTokens,
    contextLength: contextLengthOf(folder),
    template: { template, endTokens },
  }
})
