// Two models in one folder: `texts/` answers states without an image, `pictures/` those with one. Each is a model
// folder of its own, of any family.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { ModelCheck } from '../../../../core/model-check.ts'
import type { Prompt } from '../../../../core/types.ts'
import type { Backend, ModelInfo } from '../../../backend.ts'
import { addedCaches } from '../../caching/byte-cache.ts'
import type { ModelFamily } from '../../family.ts'
import type { OnnxOptions } from '../../options.ts'
import type { ModelFolder } from '../../runtime/layout.ts'
import type { Opening } from '../../runtime/opening.ts'

type LoadFolder = (path: string, options: OnnxOptions, opening?: Opening) => Promise<Backend>

/** `loadFolder` loads a folder of any family, with the id it is to have. */
export function pairFamily(loadFolder: LoadFolder): ModelFamily {
  return {
    probe: null,
    async load(folder, options) {
      const id = options.id ?? folder.name
      const texts = await loadFolder(join(folder.path, 'texts'), { ...options, id })
      try {
        // Opening its graphs is a fifth of the time to a first answer, and many callers never send a picture.
        return pairOf(folder, id, texts, await loadFolder(join(folder.path, 'pictures'), { ...options, id }, 'at first use'))
      } catch (error) {
        await texts.close()
        throw error
      }
    },
  }
}

function pairOf({ config }: ModelFolder, id: string, texts: Backend, pictures: Backend): Backend {
  const both = (field: 'revision' | 'templateHash'): string =>
    createHash('sha256').update(`${texts.info[field]}\n${pictures.info[field]}`).digest('hex')
  const info: ModelInfo = {
    id,
    name: typeof config.name === 'string' ? config.name : texts.info.name,
    revision: both('revision'),
    templateHash: both('templateHash'),
    contextLength: texts.info.contextLength,
    capabilities: {
      ...pictures.info.capabilities,
      rereads: texts.info.capabilities.rereads === true,
      findsNumbers: texts.info.capabilities.findsNumbers === true,
      judgesItsReads: texts.info.capabilities.judgesItsReads === true,
      isEnglishOnly: texts.info.capabilities.isEnglishOnly === true,
    },
    scorer: texts.info.scorer,
    checks: [...checksOf('texts', texts), ...checksOf('pictures', pictures)],
  }
  const hasImage = ({ pieces }: Prompt): boolean => pieces.some(({ type }) => type === 'image')
  return {
    info,
    open: (prompt, signal) => (hasImage(prompt) ? pictures : texts).open(prompt, signal),
    caches: () => addedCaches([texts, pictures].flatMap((backend) => backend.caches?.() ?? [])),
    async close() {
      await Promise.all([texts.close(), pictures.close()])
    },
  }
}

function checksOf(part: string, { info }: Backend): readonly ModelCheck[] {
  return (info.checks ?? []).map((check) => ({ ...check, part }))
}
