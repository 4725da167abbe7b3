// Finds what decodes videos on this machine: the program that FFMPEG_PATH names, `ffmpeg` on PATH, or two optional
// packages. Looked for at each video, so that what is installed meanwhile is found.
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { EngineError } from '../../core/errors.ts'
import { arePackagesInstalled } from '../../core/optional-packages.ts'

export type FoundDecoder = { readonly type: 'ffmpeg'; readonly program: string } | { readonly type: 'packages' }

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The first decoder of the three that is there. Throws `unsupported_media_type` naming the three where none is, and
 * where FFMPEG_PATH names something that cannot be run.
 */
export async function findDecoder(env: Environment, param: string): Promise<FoundDecoder> {
  const given = env.FFMPEG_PATH
  if (given !== undefined && given !== '') {
    if (await isProgram(given)) return { type: 'ffmpeg', program: given }
    const message =
      'FFMPEG_PATH does not name a program that can be run, so videos are not decoded here; send an animated GIF or WebP, or frames.'
    throw new EngineError('unsupported_media_type', message, { param })
  }
  const name = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg'
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    // A relative folder would be another one wherever the service is started.
    if (!/^(?:\/|[A-Za-z]:[\\/])/.test(folder)) continue
    const program = join(folder, name)
    if (await isProgram(program)) return { type: 'ffmpeg', program }
  }
  if (arePackagesInstalled('video')) return { type: 'packages' }
  const message =
    'Videos other than animated GIF and WebP need a decoder, and this machine has none: set FFMPEG_PATH to a program ffmpeg, put ffmpeg on PATH, or npm install mediabunny node-webcodecs. Or send frames: [{source, t_ms}].'
  throw new EngineError('unsupported_media_type', message, { param })
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
