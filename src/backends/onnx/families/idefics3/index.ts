// Idefics3 and its kin (SmolVLM, SmolVLM2, Granite-Docling): three graphs, a chat template and a rule for tiles to a
// decoder with images.
import { decoderFamily } from '../../decoder/backend.ts'
import { makePromptBuilder } from '../../decoder/chat-template.ts'
import { contextLengthOf, endTokensOf, readChatTemplate, templateVariablesOf } from '../../decoder/configuration.ts'
import { checkedTokenizer } from '../../runtime/checked-tokenizer.ts'
import { findGraph, readJson, TEXT_DTYPES, VISION_DTYPES } from '../../runtime/layout.ts'
import { loadRuntime, openSession } from '../../runtime/session.ts'
import { makeTokenizer } from '../../runtime/tokenizer.ts'
import { makeImageTokens, SPLIT_PICTURES_UP_TO } from './image-tokens.ts'
import { tileRuleOf, tokensPerTileOf } from './settings.ts'
import { makeImageEncoder } from './vision.ts'

const [VISION, EMBEDDER, DECODER] = ['vision_encoder', 'embed_tokens', 'decoder_model_merged'] as const
const GRAPHS = [VISION, EMBEDDER, DECODER]

export const idefics3 = decoderFamily(async (folder, options, { scheduler, cacheBytes }) => {
  const tokenizerJson = await readJson(folder, 'tokenizer.json')
  const tokenizerConfig = await readJson(folder, 'tokenizer_config.json')
  const preprocessor = await readJson(folder, 'preprocessor_config.json')
  const vision = findGraph(folder, VISION, VISION_DTYPES, options)
  const embedder = findGraph(folder, EMBEDDER, TEXT_DTYPES, options)
  const decoder = findGraph(folder, DECODER, TEXT_DTYPES, options)
  const tokenizer = checkedTokenizer(
    folder.name,
    tokenizerJson,
    () => makeTokenizer(tokenizerJson, tokenizerConfig),
    (made, text) => made.encode(text),
  )
  const template = await readChatTemplate(folder, tokenizerConfig)
  const rule = tileRuleOf(preprocessor, options)
  const tokensPerTile = await tokensPerTileOf(folder)
  const endTokens = await endTokensOf(folder, tokenizer, tokenizerConfig, ['<end_of_utterance>'])
  const contextLength = contextLengthOf(folder)

  const images = makeImageEncoder(await loadRuntime(), await openSession(vision, options), cacheBytes, scheduler)
  const prompts = makePromptBuilder({
    tokenizer,
    template,
    variables: templateVariablesOf(tokenizerConfig),
    content: 'list',
    images: makeImageTokens(tokenizer, rule, tokensPerTile, images),
  })
  return {
    tokenizer,
    prompts,
    images,
    graphs: { embedder, decoder, others: [vision] },
    endTokens,
    contextLength,
    template: { template, rule, tokensPerTile, endTokens, SPLIT_PICTURES_UP_TO },
  }
}, GRAPHS)
