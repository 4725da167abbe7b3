// Two short rules of the house's language: a type has one name in the whole tree, and a comment fits on a page.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name))
}

const texts = new Map([...filesBelow('src'), ...filesBelow('test')].map((file) => [file, readFileSync(join(root, file), 'utf8')]))

/** Columns that a line of comment may take. */
const WIDEST_COMMENT = 120

describe('the language of the house', () => {
  it('gives every exported type a name of its own', () => {
    const places = new Map<string, string[]>()
    for (const [file, text] of texts) {
      if (!file.startsWith('src')) continue
      for (const [, name] of text.matchAll(/^export (?:declare )?(?:interface|type|class|abstract class|enum) (\w+)/gm)) {
        places.set(name as string, [...(places.get(name as string) ?? []), file])
      }
    }
    const shared = [...places].filter(([, files]) => files.length > 1).map(([name, files]) => `${name}: ${files.join(', ')}`)
    expect(shared).toEqual([])
  })

  it('keeps comments within 120 columns', () => {
    const wide = [...texts].flatMap(([file, text]) =>
      text.split('\n').flatMap((line, i) => (/^\s*(\/\/|\/?\*)/.test(line) && line.length > WIDEST_COMMENT ? [`${file}:${i + 1}`] : [])),
    )
    expect(wide).toEqual([])
  })
})
