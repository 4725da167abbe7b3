// States and branches to the arrays the model runs on, and pictures to the cells that become tokens.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Branch, Candidate, Constraint } from '../../../../../src/backends/backend.ts'
import { CELLS_PER_SIDE, cellsOf, keptCells, layoutFeatures } from '../../../../../src/backends/onnx/families/decision/cells.ts'
import { BRANCH_KINDS, kindOf } from '../../../../../src/backends/onnx/families/decision/control-tokens.ts'
import { wordBoxesOf } from '../../../../../src/backends/onnx/families/decision/pack.ts'
import { type PackedBranch, packBranch } from '../../../../../src/backends/onnx/families/decision/pack-branch.ts'
import type { Piece } from '../../../../../src/core/types.ts'
import { anyText, image, line, pack, quotable, SEED, scaffold, tokenizer } from './shared.ts'

const candidate = (name: string, description: string | null = null): Candidate => ({ name, description })
const branchOf = (readout: Branch['readout'], candidates: readonly Candidate[] = [], instructions = 'Which color?'): Branch => ({
  readout,
  instructions,
  candidates,
  image: null,
})
const span: Constraint = { type: 'span', many: false, format: 'text' }

const { control } = tokenizer
const wordsOf = (ids: readonly number[]) =>
  ids.map((id) => (id < control.from ? tokenizer.spelling(id).replace('Ġ', '') : `#${id}`)).join(' ')

describe('packState', () => {
  it('opens with the state token, and advances a position a token', () => {
    const state = pack([quotable('red car')])
    expect(state.ids[0]).toBe(control.state)
    expect(wordsOf(state.ids.slice(1))).toBe('red car')
    expect(state.positions).toEqual([0, 1, 2])
    expect(state.nextPosition).toBe(3)
  })

  it('packs nothing to the state token alone', () => {
    for (const state of [pack([]), pack([quotable('')]), pack([quotable(' ')])]) {
      expect(state.ids).toEqual([control.state])
      expect(state.nextPosition).toBe(1)
    }
  })

  it('numbers quotable strings and their lines, and leaves scaffold out', () => {
    const state = pack([scaffold('color: '), quotable('red\nblue', '/color'), scaffold('\nsize: '), quotable('big', '/size')])
    const segmentOf = (word: string) => state.segments[state.ids.findIndex((id) => tokenizer.spelling(id) === `Ġ${word}`)]
    expect(segmentOf('color')).toBe(-1)
    expect(segmentOf('size')).toBe(-1)
    const [red, blue, big] = ['red', 'blue', 'big'].map(segmentOf)
    expect(red).toBe(0)
    expect(blue).toBeGreaterThan(red!)
    expect(big).toBeGreaterThan(blue!)
  })

  it('groups what stands in one member of a value, in one part, or else in one line', () => {
    const groupsOf = (pieces: Piece[]) => {
      const state = pack(pieces)
      return state.groups.flatMap((group, i) => (state.origins[i] === null ? [] : [group]))
    }
    expect(groupsOf([])).toEqual([])
    expect(groupsOf([quotable('red car')])).toEqual([0, 0])
    expect(groupsOf([quotable('red car\nblue')])).toEqual([0, 0, 0, 1])
    expect(groupsOf([quotable('red'), quotable('blue', '', 1), quotable('big\ncar', '', 1)])).toEqual([0, 1, 1, 1, 1])
    const functions = [quotable('red', '/functions/0/name'), quotable('blue', '/functions/0/does'), quotable('big', '/functions/1/name')]
    expect(groupsOf([quotable('car', '/request'), ...functions])).toEqual([0, 1, 1, 1])
    // Of an only member its members, of an only object its fields.
    expect(groupsOf(functions)).toEqual([0, 0, 1])
    expect(groupsOf(functions.slice(0, 2))).toEqual([0, 1])
  })

  it('groups nothing that cannot be quoted', () => {
    const state = pack([scaffold('color: '), quotable('red', '/color'), image('a'), scaffold('\nsize: '), quotable('big', '/size')], [2])
    state.groups.forEach((group, i) => {
      expect(group).toBe(state.origins[i] === null ? -1 : wordsOf([state.ids[i]!]) === 'red' ? 0 : 1)
    })
  })

  it('knows of every quotable token where it stands', () => {
    const text = 'Order A-1042: FindMovies, "red lamp"'
    const state = pack([scaffold('note: '), quotable(text, '/note')])
    state.origins.forEach((origin, i) => {
      expect(origin === null).toBe(state.segments[i] === -1)
      if (origin === null) return
      expect(origin.source).toEqual({ part: 0, path: '/note' })
      expect(origin.text).toBe(text)
    })
    const words = state.origins.flatMap((origin) => (origin === null ? [] : [text.slice(origin.start, origin.end)]))
    expect(words.join('')).toBe(text.replaceAll(' ', ''))
  })

  it('drops a lone space, unless it keeps two numbers apart', () => {
    expect(wordsOf(pack([quotable('1 2')]).ids.slice(1))).toBe('1  2')
    expect(wordsOf(pack([quotable('a 1')]).ids.slice(1))).toBe('a 1')
    expect(wordsOf(pack([quotable('12')]).ids.slice(1))).toBe('1 2')
  })

  it('gives all cells of an image one position, and numbers them over all images', () => {
    const state = pack([quotable('red'), image('a'), quotable('car'), image('b')], [3, 2])
    const { imageStart: start, image: cell, imageEnd: end } = control
    expect(state.ids.filter((id) => id >= control.from)).toEqual([control.state, start, cell, cell, cell, end, start, cell, cell, end])
    expect(state.positions).toEqual([0, 1, 2, 3, 3, 3, 4, 5, 6, 7, 7, 8])
    expect(state.nextPosition).toBe(9)
    expect(state.layoutRows).toEqual([-1, -1, -1, 0, 1, 2, -1, -1, -1, 3, 4, -1])
    expect(state.images).toEqual([
      { id: 'a', from: 3, wordsFrom: 6, to: 6 },
      { id: 'b', from: 9, wordsFrom: 11, to: 11 },
    ])
  })

  it('puts the words that were read in an image behind its cells, each line a segment, each word at its place', () => {
    const lines = [line('Total 5', 0.1), line('Pay now', 0.3)]
    const state = pack([image('a'), image('b'), quotable('hi')], [2, 1], lines)
    const words = state.origins.flatMap((origin) => (origin === null ? [] : [origin.text.slice(origin.start, origin.end)]))
    expect(words).toEqual(['Total', '5', 'Pay', 'now', 'hi'])
    expect(state.images).toEqual([
      { id: 'a', from: 2, wordsFrom: 4, to: 8 },
      { id: 'b', from: 10, wordsFrom: 11, to: 11 },
    ])
    // Cells of all images come first among the places, then words.
    expect(state.layoutRows.filter((row) => row >= 0)).toEqual([0, 1, 3, 4, 5, 6, 2])
    expect(state.segments.filter((segment) => segment >= 0)).toEqual([0, 0, 1, 1, 2])
    expect(state.positions).toEqual([0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    expect(state.origins.map((origin) => origin?.inImage?.image)).toEqual(
      [null, null, null, null, 'a', 'a', 'a', 'a', null, null, null, null, null].map((id) => id ?? undefined),
    )
    const places = wordBoxesOf(lines, tokenizer)
    expect(places).toHaveLength(4)
    expect(places[1]).toEqual({
      x: expect.closeTo(0.065, 9),
      y: expect.closeTo(0.125, 9),
      width: expect.closeTo(0.01, 9),
      height: expect.closeTo(0.05, 9),
      isGlobal: false,
      lineEnds: [0, 0.07],
    })
  })

  it('packs an image without a cell worth a token', () => {
    const state = pack([image('white')], [0])
    expect(state.ids).toEqual([control.state, control.imageStart, control.imageEnd])
    expect(state.images).toEqual([{ id: 'white', from: 2, wordsFrom: 2, to: 2 }])
  })

  it('keeps its arrays of one length, and user text among the text ids, whatever the strings', () => {
    const piece = fc.oneof(
      anyText.map((text) => quotable(text)),
      anyText.map(scaffold),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 4 }), (pieces: Piece[]) => {
        const { ids, cases, segments, groups, positions, layoutRows, origins, nextPosition } = pack(pieces)
        for (const array of [cases, segments, groups, positions, layoutRows, origins]) expect(array).toHaveLength(ids.length)
        expect(ids.slice(1).filter((id) => id >= control.from)).toEqual([])
        expect(positions).toEqual(ids.map((_, i) => i))
        expect(nextPosition).toBe(ids.length)
        expect(groups.map((group) => group >= 0)).toEqual(segments.map((segment) => segment >= 0))
        expect(segments.filter((segment, i) => segment >= 0 && segments.slice(0, i).some((before) => before > segment))).toEqual([])
      }),
      { seed: SEED, numRuns: 300 },
    )
  })
})

describe('packBranch', () => {
  const readoutsOf = ({ readouts, ids }: PackedBranch) => readouts.map((readout) => ids[readout])

  it('puts one readout token behind a statement, and the meanings of true and false into the question', () => {
    const plain = packBranch(branchOf('binary', [candidate('true'), candidate('false')]), null, 7, tokenizer)
    expect(plain.ids.slice(0, 2)).toEqual([control.question, control.kindId('binary')])
    expect(plain.readouts).toEqual([plain.ids.length - 1])
    expect(readoutsOf(plain)).toEqual([control.readout])
    expect(plain.positions).toEqual(plain.ids.map((_, i) => 7 + i))
    expect(new Set(plain.owners)).toEqual(new Set([0]))
    const told = packBranch(branchOf('binary', [candidate('true', 'paid'), candidate('false', 'free')]), null, 7, tokenizer)
    expect(wordsOf(told.ids)).toContain('true : paid Ċ false : free')
  })

  it('puts one readout token behind a read, of the kind that the constraint says', () => {
    for (const kind of ['span', 'spans', 'box', 'boxes', 'text', 'int', 'number', 'date', 'list'] as const) {
      const many = kind === 'spans' || kind === 'boxes'
      const constraint: Constraint =
        kind === 'span' || kind === 'spans'
          ? { type: 'span', many, format: 'email' }
          : kind === 'box' || kind === 'boxes'
            ? { type: 'box', many }
            : {
                type: 'grammar',
                grammar: kind === 'list' ? { type: 'list', item: { type: 'int' }, maxItems: 2 } : { type: kind },
                maxTokens: 9,
              }
      expect(kindOf(branchOf('read'), constraint)).toBe(kind)
      const packed = packBranch(branchOf('read'), constraint, 0, tokenizer)
      expect(packed.ids[1]).toBe(control.kindId(kind))
      expect(readoutsOf(packed)).toEqual([control.readout])
      expect(packed.readoutOf).toEqual([])
    }
  })

  it('starts every option at the same position, each with a readout token and an owner of its own', () => {
    const packed = packBranch(branchOf('exclusive', [candidate('red'), candidate('dark blue')]), null, 5, tokenizer)
    const options = packed.ids.flatMap((id, i) => (id === control.option ? [i] : []))
    expect(new Set(options.map((i) => packed.positions[i])).size).toBe(1)
    expect(options.map((i) => packed.owners[i])).toEqual([1, 2])
    expect(packed.readouts.map((readout) => packed.owners[readout])).toEqual([1, 2])
    // Inside an option, and inside the question, positions go on one by one.
    packed.positions.forEach((position, i) => {
      if (i > 0 && packed.owners[i] === packed.owners[i - 1]) expect(position).toBe(packed.positions[i - 1]! + 1)
    })
    expect(packed.positions[options[0]!]).toBe(packed.positions[packed.owners.lastIndexOf(0)]! + 1)
  })

  it('packs the same whatever the order of options, and finds each option back', () => {
    const options = fc.uniqueArray(fc.oneof(fc.lorem({ maxCount: 2 }), anyText), { minLength: 2, maxLength: 8 })
    fc.assert(
      fc.property(
        options.chain((names) => fc.tuple(fc.constant(names), fc.shuffledSubarray(names, { minLength: names.length }))),
        fc.constantFrom('exclusive' as const, 'independent' as const),
        ([names, turned], readout) => {
          const [a, b] = [names, turned].map((list) =>
            packBranch(
              branchOf(
                readout,
                list.map((name) => candidate(name)),
              ),
              null,
              3,
              tokenizer,
            ),
          )
          expect({ ...b, readoutOf: null }).toEqual({ ...a, readoutOf: null })
          expect(turned.map((name) => b!.readoutOf[turned.indexOf(name)])).toEqual(turned.map((name) => a!.readoutOf[names.indexOf(name)]))
          expect([...a!.readoutOf].sort((x, y) => x - y)).toEqual(names.map((_, i) => i))
          names.forEach((name, i) => {
            const owner = a!.readoutOf[i]! + 1
            const own = a!.ids.filter((_, token) => a!.owners[token] === owner)
            expect(own).toEqual([control.option, ...tokenizer.encode(name).ids, control.readout])
          })
        },
      ),
      { seed: SEED, numRuns: 150 },
    )
  })

  it('keeps levels in their order, ranked from 0 to 1 at their readout tokens', () => {
    const levels = ['zero', 'medium', 'all'].map((name) => candidate(name))
    const packed = packBranch(branchOf('ordinal', levels), null, 0, tokenizer)
    expect(packed.readoutOf).toEqual([0, 1, 2])
    expect(packed.readouts.map((readout) => packed.ranks[readout])).toEqual([0, 0.5, 1])
    expect(packed.ranks.filter((rank) => rank !== -1)).toHaveLength(3)
  })

  it('tells a description behind the name', () => {
    const packed = packBranch(branchOf('exclusive', [candidate('red', 'a color'), candidate('car')]), null, 0, tokenizer)
    expect(wordsOf(packed.ids)).toContain('red : a color')
  })

  it('keeps text ids for text', () => {
    fc.assert(
      fc.property(anyText, anyText, (instructions, name) => {
        const packed = packBranch(
          branchOf('exclusive', [candidate(name, instructions), candidate('other')], instructions),
          null,
          0,
          tokenizer,
        )
        const controls = packed.ids.filter((id) => id >= control.from)
        const { question, option, readout } = control
        expect(controls).toEqual([question, control.kindId('exclusive'), option, readout, option, readout])
      }),
      { seed: SEED, numRuns: 200 },
    )
  })

  it('refuses a read without a constraint', () => {
    expect(() => packBranch(branchOf('read'), null, 0, tokenizer)).toThrow('constraint')
    expect(packBranch(branchOf('read'), span, 0, tokenizer).readouts).toHaveLength(1)
  })
})

describe('the control ids', () => {
  it('lie behind the text vocabulary and are all different', () => {
    const { state, question, option, readout, image: cell, imageStart, imageEnd, end } = control
    const ids = [state, question, option, readout, cell, imageStart, imageEnd, end, ...BRANCH_KINDS.map((kind) => control.kindId(kind))]
    expect(new Set(ids).size).toBe(ids.length)
    expect(Math.min(...ids)).toBe(control.from)
    expect(Math.max(...ids)).toBeLessThan(8192)
  })
})

describe('cellsOf', () => {
  it('gives the tiles row by row, then the whole picture', () => {
    const cells = cellsOf(2, 3)
    expect(cells).toHaveLength((2 * 3 + 1) * CELLS_PER_SIDE ** 2)
    expect(cells[0]).toEqual({ x: 0.5 / 24, y: 0.5 / 16, width: 1 / 24, height: 1 / 16, isGlobal: false })
    // The first cell of the second tile, of the second row of tiles, and of the whole picture.
    expect(cells[64]!.x).toBeCloseTo(8.5 / 24, 12)
    expect(cells[3 * 64]!.y).toBeCloseTo(8.5 / 16, 12)
    expect(cells[6 * 64]).toEqual({ x: 1 / 16, y: 1 / 16, width: 1 / 8, height: 1 / 8, isGlobal: true })
    expect(cells.filter(({ isGlobal }) => isGlobal)).toHaveLength(64)
  })

  it('covers the picture once with its tiles and once with the whole', () => {
    const cells = cellsOf(3, 2)
    const area = (isGlobal: boolean) =>
      cells.filter((cell) => cell.isGlobal === isGlobal).reduce((sum, { width, height }) => sum + width * height, 0)
    expect(area(false)).toBeCloseTo(1, 9)
    expect(area(true)).toBeCloseTo(1, 9)
    expect(cells.filter(({ x, y, width, height }) => x - width / 2 < -1e-9 || y + height / 2 > 1 + 1e-9)).toEqual([])
  })

  it('gives a small picture the whole only', () => {
    expect(cellsOf(0, 0).map(({ isGlobal }) => isGlobal)).toEqual(new Array(64).fill(true))
  })

  it('tells the decoder where each cell lies and what shape the picture has', () => {
    const places = layoutFeatures(cellsOf(1, 1).slice(63, 65), 2)
    const shape = Math.fround(Math.log(2))
    expect([...places]).toEqual([...[15 / 16, 15 / 16, 1 / 8, 1 / 8, 0, shape], ...[1 / 16, 1 / 16, 1 / 8, 1 / 8, 1, shape]])
  })
})

describe('keptCells', () => {
  const SIDE = 64
  const white = () => new Uint8Array(SIDE * SIDE * 3).fill(255)
  const dot = (tile: Uint8Array, x: number, y: number, value: number): Uint8Array => {
    tile[(y * SIDE + x) * 3 + 1] = value
    return tile
  }

  it('drops cells of one colour, in every tile', () => {
    expect(keptCells([white(), white()], SIDE)).toEqual([])
  })

  it('keeps a cell for a single pixel in a single channel, at its place', () => {
    // Cells are 8 x 8 pixels here: (17, 9) lies in column 2 of row 1, (63, 63) in the last cell.
    expect(keptCells([white(), dot(white(), 17, 9, 0)], SIDE)).toEqual([64 + 1 * 8 + 2])
    expect(keptCells([dot(white(), 63, 63, 0)], SIDE)).toEqual([63])
    expect(keptCells([dot(white(), 7, 7, 0), dot(white(), 8, 7, 0)], SIDE)).toEqual([0, 64 + 1])
  })

  it('takes what a compressed picture does to one colour for one colour', () => {
    expect(keptCells([dot(white(), 0, 0, 247)], SIDE)).toEqual([])
    expect(keptCells([dot(white(), 0, 0, 246)], SIDE)).toEqual([0])
  })
})
