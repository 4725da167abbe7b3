// Qwen2-VL, Qwen2.5-VL and Qwen3.5: pictures of any size as patches, their tokens in rows and columns (M-RoPE), and
// boxes. The decoder of Qwen3.5 is a hybrid: most of its layers keep a state instead of keys and values.
import { EngineError } from '../../../../core/errors.ts'
import { decoderFamily } from '../../decoder/backend.ts'
import { makePromptBuilder } from '../../decoder/chat-template.ts'
import { contextLengthOf, endTokensOf, readPreprocessor, templateVariablesOf } from '../../decoder/configuration.ts'
import { refuseOtherGraph } from '../../decoder/fit.ts'
import { positionInputOf } from '../../decoder/positions.ts'
import { imageTokenOf, readTextFiles } from '../../decoder/text-files.ts'
import { findGraph, TEXT_DTYPES, VISION_DTYPES } from '../../runtime/layout.ts'
import { loadRuntime, openSession } from '../../runtime/session.ts'
import { boxFormatOf } from './boxes.ts'
import { IMAGE_TOKEN, makeImageTokens } from './image-tokens.ts'
import { patchRuleOf } from './settings.ts'
import { makeImageEncoder } from './vision.ts'

const [VISION, EMBEDDER, DECODER] = ['vision_encoder', 'embed_tokens', 'decoder_model_merged'] as const

export const qwenVl = decoderFamily(
  async (folder, options, { scheduler, cacheBytes }) => {
    const rule = patchRuleOf(folder, await readPreprocessor(folder), options)
    const vision = findGraph(folder, VISION, VISION_DTYPES, options)
    const embedder = findGraph(folder, EMBEDDER, TEXT_DTYPES, options)
    const decoder = findGraph(folder, DECODER, TEXT_DTYPES, options)
    const { tokenizer, tokenizerConfig, template } = await readTextFiles(folder)
    const imageToken = imageTokenOf(folder, tokenizer, IMAGE_TOKEN)
    const endTokens = await endTokensOf(folder, tokenizer, tokenizerConfig, ['<|im_end|>'])
    const contextLength = contextLengthOf(folder)
    const boxes = boxFormatOf(folder.modelType, tokenizer, rule)

    const runtime = await loadRuntime()
    const images = makeImageEncoder(runtime, await openSession(vision, options), rule, cacheBytes, scheduler)
    return {
      tokenizer,
      prompts: makePromptBuilder({
        tokenizer,
        template,
        variables: templateVariablesOf(tokenizerConfig),
        content: 'list',
        images: makeImageTokens(imageToken, rule, images),
      }),
      images,
      graphs: { embedder, decoder, others: [vision] },
      fit(session) {
        refuseOtherGraph(folder, decoder, session, tokenizer, endTokens)
        if (positionInputOf(runtime, session)?.hasAxes) return
        throw new EngineError(
          'model_not_available',
          `${decoder.files[0]} takes no position_ids of shape [3, batch, sequence], so it cannot tell the rows of a picture; take another export of this model`,
        )
      },
      endTokens,
      boxes,
      contextLength,
      template: { template, rule, endTokens },
    }
  },
  [VISION, EMBEDDER, DECODER],
)
