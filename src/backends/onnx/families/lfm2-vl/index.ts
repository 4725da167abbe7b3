// LFM2-VL and LFM2.5-VL: pictures in tiles and a small whole, and a decoder that keeps states of convolutions beside
// its keys and values.
import { decoderFamily } from '../../decoder/backend.ts'
import { makePromptBuilder } from '../../decoder/chat-template.ts'
import { contextLengthOf, endTokensOf, readPreprocessor, templateVariablesOf } from '../../decoder/configuration.ts'
import { refuseOtherGraph } from '../../decoder/fit.ts'
import { imageTokenOf, readTextFiles } from '../../decoder/text-files.ts'
import { findGraph, type ModelFolder, TEXT_DTYPES, VISION_DTYPES } from '../../runtime/layout.ts'
import { loadRuntime } from '../../runtime/session.ts'
import { IMAGE_TOKEN, makeImageTokens } from './image-tokens.ts'
import { cutRuleOf } from './settings.ts'
import { makeImageEncoder } from './vision.ts'

/** Two exporters are in use, which name the graphs in their own ways. */
const nameIn = ({ files }: ModelFolder, names: readonly [string, string]): string =>
  files.some((file) => file.startsWith(`onnx/${names[0]}`)) || !files.some((file) => file.startsWith(`onnx/${names[1]}`))
    ? names[0]
    : names[1]

export const lfm2Vl = decoderFamily(async (folder, options, { open, scheduler, cacheBytes }) => {
  const rule = cutRuleOf(folder, await readPreprocessor(folder), options)
  const vision = findGraph(folder, nameIn(folder, ['vision_encoder', 'embed_images']), VISION_DTYPES, options)
  const embedder = findGraph(folder, 'embed_tokens', TEXT_DTYPES, options)
  const decoder = findGraph(folder, nameIn(folder, ['decoder_model_merged', 'decoder']), TEXT_DTYPES, options)
  const { tokenizer, tokenizerConfig, template } = await readTextFiles(folder)
  imageTokenOf(folder, tokenizer, IMAGE_TOKEN)
  const endTokens = await endTokensOf(folder, tokenizer, tokenizerConfig, ['<|im_end|>'])
  const contextLength = contextLengthOf(folder)

  const images = makeImageEncoder(await loadRuntime(), await open(vision), rule, cacheBytes, scheduler)
  return {
    tokenizer,
    prompts: makePromptBuilder({
      tokenizer,
      template,
      variables: templateVariablesOf(tokenizerConfig),
      content: 'list',
      images: makeImageTokens(tokenizer, rule, images),
    }),
    images,
    graphs: { embedder, decoder, others: [vision] },
    fit: (session) => refuseOtherGraph(folder, decoder, session, tokenizer, endTokens),
    endTokens,
    contextLength,
    template: { template, rule, endTokens },
  }
})
