// Makes relative image paths of a state absolute, and finds the path that an error is about. A state that is not a list
// of parts stays as it is.
import { resolve } from 'node:path'
import { pointerTokens } from '../../core/pointer.ts'
import { isObject, ownField } from '../../core/untrusted.ts'

/** Path sources of the parts of a state, and of the frames of a video, as seen from `folder`. */
export function statePathsFrom(state: unknown, folder: string): unknown {
  if (!Array.isArray(state)) return state
  const source = (given: unknown): unknown =>
    isObject(given) && given.type === 'path' && typeof given.path === 'string' ? { ...given, path: resolve(folder, given.path) } : given
  return state.map((part: unknown) => {
    if (!isObject(part) || (part.type !== 'image' && part.type !== 'video')) return part
    return {
      ...part,
      ...('source' in part ? { source: source(part.source) } : {}),
      ...(Array.isArray(part.frames)
        ? {
            frames: part.frames.map((frame: unknown) =>
              isObject(frame) && 'source' in frame ? { ...frame, source: source(frame.source) } : frame,
            ),
          }
        : {}),
    }
  })
}

/** The path that a JSON Pointer into the request leads to, as `/state/0/source/path`; null when it leads to none. */
export function statePathAt(state: unknown, param: string | null): string | null {
  if (param === null || !param.startsWith('/state/') || !param.endsWith('/path')) return null
  const found = pointerTokens(param)
    .slice(1)
    .reduce<unknown>((value, token) => ownField(value, token), state)
  return typeof found === 'string' ? found : null
}
