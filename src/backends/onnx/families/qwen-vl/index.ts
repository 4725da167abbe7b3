// Qwen2-VL, Qwen2.5-VL, Qwen3-VL and Qwen3.5: pictures of any size as patches, videos as patches of two frames, tokens
// that stand in time, rows and columns (M-RoPE), and boxes. Qwen3-VL hands features of several depths to its decoder
// (DeepStack). The decoder of Qwen3.5 is a hybrid: most of its layers keep a state instead of keys and values.
import { EngineError } from '../../../../core/errors.ts'
import { decoderFamily } from '../../decoder/backend.ts'
import { makePromptBuilder } from '../../decoder/chat-template.ts'
import { contextLengthOf, endTokensOf, readPreprocessor, readVideoPreprocessor, templateVariablesOf } from '../../decoder/configuration.ts'
import { refuseOtherGraph } from '../../decoder/fit.ts'
import { positionInputOf } from '../../decoder/positions.ts'
import { imageTokenOf, readTextFiles } from '../../decoder/text-files.ts'
import { findGraph, TEXT_DTYPES, VISION_DTYPES } from '../../runtime/layout.ts'
import { loadRuntime } from '../../runtime/session.ts'
import { boxFormatOf } from './boxes.ts'
import { deepStackDepthsOf, refuseOtherDepths, whyUnseen } from './deepstack.ts'
import { IMAGE_TOKEN, makeImageTokens } from './image-tokens.ts'
import { patchRuleOf, videoRuleOf } from './settings.ts'
import { makeVideoTokens } from './video-tokens.ts'
import { makeImageEncoder } from './vision.ts'

const [VISION, EMBEDDER, DECODER] = ['vision_encoder', 'embed_tokens', 'decoder_model_merged'] as const

export const qwenVl = decoderFamily(
  async (folder, options, { open, scheduler, cacheBytes }) => {
    const preprocessor = await readPreprocessor(folder)
    const rule = patchRuleOf(folder, preprocessor, options)
    const readsFrames = options.pictures?.videos === 'frames'
    const videoRule = readsFrames ? null : videoRuleOf(folder, await readVideoPreprocessor(folder, preprocessor), options, rule)
    const vision = findGraph(folder, VISION, VISION_DTYPES, options)
    const embedder = findGraph(folder, EMBEDDER, TEXT_DTYPES, options)
    const decoder = findGraph(folder, DECODER, TEXT_DTYPES, options)
    const { tokenizer, tokenizerConfig, template } = await readTextFiles(folder)
    const imageToken = imageTokenOf(folder, tokenizer, IMAGE_TOKEN)
    const endTokens = await endTokensOf(folder, tokenizer, tokenizerConfig, ['<|im_end|>'])
    const contextLength = contextLengthOf(folder)
    const boxes = boxFormatOf(folder.modelType, tokenizer, rule)
    const depths = deepStackDepthsOf(folder)

    const runtime = await loadRuntime()
    const session = await open(vision)
    const encoder = makeImageEncoder(runtime, session, rule, cacheBytes, scheduler)
    const unseen = whyUnseen(depths, vision, session)
    if (unseen !== null) await encoder.close()
    const images = unseen === null ? encoder : null
    return {
      tokenizer,
      prompts: makePromptBuilder({
        tokenizer,
        template,
        variables: templateVariablesOf(tokenizerConfig),
        content: 'list',
        images:
          images === null
            ? null
            : makeImageTokens(imageToken, rule, images, videoRule === null ? null : makeVideoTokens(tokenizer, videoRule, images)),
      }),
      images,
      ...(unseen === null ? { boxes } : { unseen }),
      graphs: { embedder, decoder, others: images === null ? [] : [vision] },
      fit(session) {
        refuseOtherGraph(folder, decoder, session, tokenizer, endTokens)
        refuseOtherDepths(images === null ? 0 : depths, decoder, session)
        if (positionInputOf(runtime, session)?.hasAxes) return
        throw new EngineError(
          'model_not_available',
          `${decoder.files[0]} takes no position_ids of shape [3, batch, sequence], so it cannot tell the rows of a picture; take another export of this model`,
        )
      },
      endTokens,
      contextLength,
      template: { template, rule, videoRule, endTokens },
    }
  },
  [VISION, EMBEDDER, DECODER],
)
