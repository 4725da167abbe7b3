// Idefics3 and its kin (SmolVLM, SmolVLM2, Granite-Docling): three graphs, a chat template and a rule for tiles to a
// decoder with images.
import { decoderFamily } from '../../decoder/backend.ts'
import { makePromptBuilder } from '../../decoder/chat-template.ts'
import { contextLengthOf, endTokensOf, readVideoPreprocessor, templateVariablesOf } from '../../decoder/configuration.ts'
import { refuseOtherGraph } from '../../decoder/fit.ts'
import { imageTokenOf, readTextFiles } from '../../decoder/text-files.ts'
import { findGraph, readJson, TEXT_DTYPES, VISION_DTYPES } from '../../runtime/layout.ts'
import { loadRuntime } from '../../runtime/session.ts'
import { IMAGE_TOKEN, makeImageTokens, SPLIT_PICTURES_UP_TO } from './image-tokens.ts'
import { locationTagsOf } from './location-tags.ts'
import { frameRuleOf, tileRuleOf, tokensPerTileOf } from './settings.ts'
import { makeImageEncoder } from './vision.ts'

const [VISION, EMBEDDER, DECODER] = ['vision_encoder', 'embed_tokens', 'decoder_model_merged'] as const
const GRAPHS = [VISION, EMBEDDER, DECODER]

export const idefics3 = decoderFamily(async (folder, options, { open, scheduler, cacheBytes }) => {
  const preprocessor = await readJson(folder, 'preprocessor_config.json')
  const vision = findGraph(folder, VISION, VISION_DTYPES, options)
  const embedder = findGraph(folder, EMBEDDER, TEXT_DTYPES, options)
  const decoder = findGraph(folder, DECODER, TEXT_DTYPES, options)
  const { tokenizer, tokenizerConfig, template } = await readTextFiles(folder)
  const rule = tileRuleOf(preprocessor, options)
  const frameRule = frameRuleOf(folder, await readVideoPreprocessor(folder, preprocessor), options)
  const tokensPerTile = await tokensPerTileOf(folder)
  const endTokens = await endTokensOf(folder, tokenizer, tokenizerConfig, ['<end_of_utterance>'])
  const contextLength = contextLengthOf(folder)
  imageTokenOf(folder, tokenizer, IMAGE_TOKEN)
  const boxes = locationTagsOf(tokenizer)

  const images = makeImageEncoder(await loadRuntime(), await open(vision), cacheBytes, scheduler)
  const prompts = makePromptBuilder({
    tokenizer,
    template,
    variables: templateVariablesOf(tokenizerConfig),
    content: 'list',
    images: makeImageTokens(tokenizer, rule, tokensPerTile, images, frameRule),
  })
  return {
    tokenizer,
    prompts,
    images,
    graphs: { embedder, decoder, others: [vision] },
    fit: (session) => refuseOtherGraph(folder, decoder, session, tokenizer, endTokens),
    endTokens,
    ...(boxes === undefined ? {} : { boxes }),
    contextLength,
    template: { template, rule, frameRule, tokensPerTile, endTokens, SPLIT_PICTURES_UP_TO },
  }
}, GRAPHS)
