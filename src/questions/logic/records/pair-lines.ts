// The lines of a text that say a value by its name, "Status: open", and those between them that belong to them.

export interface PairLine {
  /** Spaces in front; of an item of a list what stands behind its mark is two deeper. */
  readonly indent: number
  /** Behind a mark: "- name: Ben", "- milk". */
  readonly isItem: boolean
  /** Null of an item that is a value alone. */
  readonly key: string | null
  /** As it is written, '' for none. */
  readonly value: string
}

/** Lines without a blank one, or a heading, between them. */
export interface PairGroup {
  /** A line above that is no pair: "Room 101", "## Room 101", "[room]". */
  readonly title: string | null
  readonly lines: readonly PairLine[]
}

const LONGEST_LINE = 400
const MARK = /^(\s*)(?:([-*•+]|\d{1,2}[.)])\s+)?(.*)$/su
const KEY = '["\'`]?(?<key>(?=[^:=]*\\p{L})[\\p{L}\\d_$][^:=|;\\t"\'`]{0,39}?)["\'`]?'
const PAIR = [
  // **Key:** value, **Key**: value
  new RegExp(`^(?:\\*\\*|__)${KEY}(?::(?:\\*\\*|__)|(?:\\*\\*|__)\\s*:)(?:\\s+(?<value>.*))?$`, 'su'),
  new RegExp(`^${KEY}\\s*:(?:\\s+(?<value>.*))?$`, 'su'),
  new RegExp(`^${KEY}\\s*=\\s*(?<value>.*)$`, 'su'),
  // Key ....... value, Key<tab>value
  new RegExp(`^${KEY}\\s*(?:\\.{3,}|\\t+)\\s*(?<value>\\S.*)$`, 'su'),
  // Total      25.80
  new RegExp(`^${KEY}\\s{2,}(?<value>\\p{Sc}?\\s?[\\d.,]*\\d(?:\\s?(?:\\p{Sc}|%|[A-Z]{3}))?)$`, 'su'),
]
/** A form that sentences have, too: so many lines in a row have to have it. */
const DASHED = new RegExp(`^${KEY}(?: \\([^)]*\\))?\\s+[-–—](?:\\s+(?<value>.*))?$`, 'su')
const FEWEST_DASHED = 3
const MOST_WORDS_OF_KEY = 5
const HEADING = /^\s*(?:#{1,6}\s+(.+?)\s*#*|\[([^\]]+)\]|={2,}\s*(.+?)\s*={2,}|-{2,}\s*(.+?)\s*-{2,}|\*\*([^*]+)\*\*:?)\s*$/u
/** A box to tick, "[x]", which is no heading. */
const IS_BOX = /^(?:x| )$/i
const RULE = /^\s*[-=_*~]{3,}\s*$/
const COMMENT = /^\s*(?:#|;|\/\/)(?!\s*\S+\s*$)/
const BEHIND_VALUE = /\s+#\s.*$/s
const PARTS = [/\s*;\s+/, /\s+\|\s+/, /\s+·\s+/, /,\s+/]
const LONGEST_TITLE = 60
const MOST_WORDS_OF_TITLE = 6

/** Groups in reading order; a line that is neither ends a run, so each run is a list of groups. */
export function pairRuns(text: string): PairGroup[][] {
  const runs: OpenGroup[][] = [[{ title: null, lines: [] }]]
  const lines = text.split(/\r?\n/)
  const areDashed = dashedLines(lines)
  for (const [i, line] of lines.entries()) {
    const run = runs.at(-1)!
    const group = run.at(-1)!
    const heading = headingOf(line)
    const isBlank = line.trim() === '' || RULE.test(line)
    const pairs = isBlank || heading !== null ? null : pairsOf(line, group.lines, areDashed[i] === true)
    if (isBlank) beginGroup(run, null)
    else if (heading !== null) beginGroup(run, heading)
    else if (pairs !== null) group.lines.push(...pairs)
    else if (isValueBelow(line, lines[i + 1] ?? '', group.lines))
      group.lines.push({ ...(group.lines.pop() as PairLine), value: line.trim() })
    else if (COMMENT.test(line)) continue
    else {
      // What stands below a name is its value, though not one that is read here.
      if (isNameAlone(group.lines.at(-1))) group.lines.pop()
      if (isTitle(line)) beginGroup(run, line.trim())
      else runs.push([{ title: null, lines: [] }])
    }
  }
  return runs.map((run) => run.filter((group) => group.lines.length > 0)).filter((run) => run.length > 0)
}

/** The last of a run, to which lines are added. */
interface OpenGroup {
  title: string | null
  readonly lines: PairLine[]
}

/** What is open and has no lines yet goes on, under the title below it. */
function beginGroup(run: OpenGroup[], title: string | null): void {
  const open = run.at(-1)!
  if (open.lines.length > 0) run.push({ title, lines: [] })
  else open.title = title ?? open.title
}

function headingOf(line: string): string | null {
  if (line.length > LONGEST_LINE) return null
  const heading = HEADING.exec(line)
    ?.slice(1)
    .find((said) => said !== undefined)
  return heading === undefined || IS_BOX.test(heading) ? null : heading
}

const isNameAlone = (line: PairLine | undefined): boolean => line?.value === '' && line.key !== null && !line.isItem

/** Whether a line alone says what the name above it leaves open: "Phone:", "0731 55210". */
function isValueBelow(line: string, below: string, above: readonly PairLine[]): boolean {
  if (!isNameAlone(above.at(-1)) || MARK.exec(line)?.[2] || line.trim().length > LONGEST_TITLE || COMMENT.test(line)) return false
  return below.trim() === '' || pairsOf(below, above, false) !== null
}

/** A short line that says no sentence. */
function isTitle(line: string): boolean {
  const text = line.trim()
  const isShort = text.length <= LONGEST_TITLE && text.split(/\s+/).length <= MOST_WORDS_OF_TITLE
  return isShort && /^[\p{L}\d#*"]/u.test(text) && !/[.!?,;]$|^\d+[.)]? |\s{2}|: /.test(text)
}

/** One pair, several in one line, or an item of a list that stands under a name; null for anything else. */
function pairsOf(line: string, before: readonly PairLine[], isDashed: boolean): PairLine[] | null {
  if (line.length > LONGEST_LINE) return null
  const [, lead = '', mark, body = ''] = MARK.exec(line) ?? []
  const place = { indent: lead.replaceAll('\t', '  ').length, isItem: mark !== undefined }
  const several = severalOf(body)
  if (several !== null) return several.map((pair, i) => ({ indent: place.indent, isItem: place.isItem && i === 0, ...pair }))
  const pair = pairOf(body) ?? (isDashed ? dashed(body) : null)
  if (pair !== null) return [{ ...place, ...pair }]
  return place.isItem && isUnderName(place.indent, before) ? [{ ...place, key: null, value: body.trim() }] : null
}

/** Whether the last line that stands no deeper is a name without a value, or an item of the same list. */
function isUnderName(indent: number, before: readonly PairLine[]): boolean {
  const last = before.findLast((line) => line.indent <= indent)
  return last !== undefined && ((last.key !== null && last.value === '') || (last.isItem && last.key === null && last.indent === indent))
}

function severalOf(body: string): Pick<PairLine, 'key' | 'value'>[] | null {
  for (const mark of PARTS) {
    const parts = body.split(mark)
    if (parts.length < 2) continue
    const pairs = parts.map((part) => pairOf(part))
    if (pairs.every((pair) => pair !== null && pair.value !== '')) return pairs as Pick<PairLine, 'key' | 'value'>[]
  }
  return null
}

/** Null for what is no pair. */
function pairOf(body: string): Pick<PairLine, 'key' | 'value'> | null {
  for (const form of PAIR) {
    const { key, value = '' } = form.exec(body.trim())?.groups ?? {}
    if (key !== undefined && isKey(key)) return { key, value: value.replace(BEHIND_VALUE, '').trim() }
  }
  return null
}

const isKey = (key: string): boolean => key.trim().split(/\s+/).length <= MOST_WORDS_OF_KEY && !/[.!?,]$/.test(key) && !/^https?$/.test(key)

/** Of each line whether it says a value behind a dash, and so do those around it. */
function dashedLines(lines: readonly string[]): boolean[] {
  const are = lines.map((line) => line.length <= LONGEST_LINE && dashed(MARK.exec(line)?.[3] ?? '') !== null)
  let run = 0
  const behind = are.map((is) => (run = is ? run + 1 : 0))
  for (let i = are.length - 2; i >= 0; i--) if (are[i] && are[i + 1]) behind[i] = behind[i + 1] as number
  return behind.map((length) => length >= FEWEST_DASHED)
}

function dashed(body: string): Pick<PairLine, 'key' | 'value'> | null {
  const { key, value = '' } = DASHED.exec(body.trim())?.groups ?? {}
  return key !== undefined && isKey(key) ? { key, value: value.trim() } : null
}
