// Gemma 3, 3n and 4 with pictures (3: 4B, 12B, 27B, MedGemma 4B; 3n and 4: E2B, E4B): three graphs. The text models of
// the family have one graph and belong to text-decoder. Gemma 3n and 4 have numbers of a token for each layer
// (per-layer.ts), and last layers without keys and values of their own. Their encoders of sounds are not read.
//
// Gemma 3 was trained with image tokens that see each other in both directions. The published graphs are causal
// (GroupQueryAttention, whose bias can only hide), so an image token sees those before it. This family does what the
// graphs do. Gemma 3n and the E2B and E4B of Gemma 4 were trained causal.
import { EngineError } from '../../../../core/errors.ts'
import { decoderFamily } from '../../decoder/backend.ts'
import { makePromptBuilder } from '../../decoder/chat-template.ts'
import { contextLengthOf, endTokensOf, readPreprocessor, templateVariablesOf } from '../../decoder/configuration.ts'
import { refuseOtherGraph } from '../../decoder/fit.ts'
import { readTextFiles } from '../../decoder/text-files.ts'
import type { OnnxOptions } from '../../options.ts'
import { findGraph, type ModelFolder, TEXT_DTYPES, VISION_DTYPES } from '../../runtime/layout.ts'
import { inputsOf, loadRuntime, type Runtime, type Session } from '../../runtime/session.ts'
import { makeImageTokens } from './image-tokens.ts'
import { type GemmaKind, kindOf } from './kinds.ts'
import { patchReader } from './patches.ts'
import { makePictures, type PictureReader } from './pictures.ts'
import { type PatchBudget, patchBudgetOf, pictureTokensOf, type SquareRule, squareRuleOf } from './settings.ts'
import { squareReader } from './squares.ts'

const [VISION, EMBEDDER, DECODER] = ['vision_encoder', 'embed_tokens', 'decoder_model_merged'] as const

async function pictureRuleOf(folder: ModelFolder, kind: GemmaKind, options: OnnxOptions): Promise<SquareRule | PatchBudget> {
  const preprocessor = await readPreprocessor(folder)
  return kind.countField === null ? patchBudgetOf(folder, preprocessor, options) : squareRuleOf(folder, preprocessor, options)
}

const readerOf = (runtime: Runtime, session: Session, rule: SquareRule | PatchBudget): PictureReader =>
  'side' in rule ? squareReader(runtime, session, rule) : patchReader(runtime, session, rule)

export const gemma = decoderFamily(
  async (folder, options, { open, scheduler, cacheBytes }) => {
    const kind = kindOf(folder)
    const rule = await pictureRuleOf(folder, kind, options)
    const vision = findGraph(folder, VISION, VISION_DTYPES, options)
    const embedder = findGraph(folder, EMBEDDER, TEXT_DTYPES, options)
    const decoder = findGraph(folder, DECODER, TEXT_DTYPES, options)
    const { tokenizer, tokenizerConfig, template } = await readTextFiles(folder)
    const pictureTokens = pictureTokensOf(folder, tokenizerConfig, tokenizer)
    const endTokens = await endTokensOf(folder, tokenizer, tokenizerConfig, [kind.endOfTurn])
    const contextLength = contextLengthOf(folder, kind.contextLength)

    const session = await open(vision)
    const images = makePictures(readerOf(await loadRuntime(), session, rule), session, cacheBytes, scheduler)
    return {
      tokenizer,
      prompts: makePromptBuilder({
        tokenizer,
        template,
        variables: templateVariablesOf(tokenizerConfig),
        content: 'list',
        images: makeImageTokens(pictureTokens, images),
      }),
      images,
      graphs: { embedder, decoder, others: [vision] },
      fit(session) {
        refuseOtherGraph(folder, decoder, session, tokenizer, [...endTokens, pictureTokens.soft])
        const width = inputsOf(session)
          .find(({ name }) => name === 'inputs_embeds')
          ?.shape.at(-1)
        if (images.width === null || images.width === width) return
        throw new EngineError(
          'model_not_available',
          `${vision.files[0]} gives rows of ${images.width} numbers, ${decoder.files[0]} takes ${width}; take both files from the same model`,
        )
      },
      endTokens,
      contextLength,
      template: { template, rule, pictureTokens, endTokens },
    }
  },
  [VISION, EMBEDDER, DECODER],
)
