/**
 * Questions about a video: what happens, to what, in which direction, what is there at the beginning and at the end.
 * Half of the claims are false.
 */
import { timeText } from '../../../../src/pipeline/state/state.ts'
import { type Asked, article, criteriaOf, noul, select } from './asking.ts'
import type { Random } from './random.ts'
import { directions, type Happening, type ScreenScene, type ShapeScene, type Thing } from './scenes.ts'
import { shapeColours, shapeNames } from './shape-pictures.ts'

type Ask = () => Asked | null

const SAID: Readonly<Record<Happening, readonly string[]>> = {
  left: ['moves to the left', 'goes left'],
  right: ['moves to the right', 'goes right'],
  up: ['moves up', 'goes upwards', 'rises'],
  down: ['moves down', 'goes downwards', 'sinks'],
  grows: ['gets bigger', 'grows'],
  shrinks: ['gets smaller', 'shrinks'],
  appears: ['appears', 'is not there at first'],
  disappears: ['disappears', 'is gone at the end'],
  'changes colour': ['changes colour', 'changes its color'],
}
const inWords = (happening: Happening | null): string => (happening === null ? 'nothing' : SAID[happening][0]!)
const isMove = (happening: Happening | null): boolean => directions.some((way) => way === happening)

/** A choice among names, all listed, one of which is true. */
const among = (random: Random, instructions: string, truth: string, others: readonly string[], most = 5): Asked => {
  const wrong = random.sample(
    others.filter((name) => name !== truth),
    most,
  )
  return { question: { type: 'choice', instructions, criteria: criteriaOf(random.shuffle([truth, ...wrong])) }, truth }
}

export function shapeVideoAsks(random: Random, { things }: ShapeScene): Ask[] {
  const named = ({ colour, shape }: Thing): string => `${colour} ${shape}`
  const acting = things.find(({ happening }) => happening !== null) ?? null
  const about = (): Thing => (acting !== null && random.chance(0.7) ? acting : random.pick(things))
  const happenings = Object.keys(SAID) as Happening[]
  const atFirst = things.filter(({ happening }) => happening !== 'appears').map(named)
  const atLast = things.filter(({ happening }) => happening !== 'disappears').map((thing) => `${thing.lastColour} ${thing.shape}`)
  const away = (all: readonly string[]): string => {
    const drawn = `${random.pick(Object.keys(shapeColours))} ${random.pick(shapeNames)}`
    return all.includes(drawn) ? 'white star' : drawn
  }
  /** Whether a frame that shows `shown` has a thing; sometimes one that is missing there. */
  const isThere = (shown: readonly string[], missing: Happening, wordings: (name: string) => readonly string[]): Asked => {
    const isTrue = shown.length > 0 && random.chance(0.5)
    const name = isTrue ? random.pick(shown) : random.chance(0.5) && acting?.happening === missing ? named(acting) : away(shown)
    return noul(random.pick(wordings(name)), isTrue)
  }
  return [
    () => {
      const thing = about()
      const isTrue = thing.happening !== null && random.chance(0.5)
      const claimed = isTrue ? thing.happening! : random.pick(happenings.filter((other) => other !== thing.happening))
      return noul(`The ${random.chance(0.5) ? thing.shape : named(thing)} ${random.pick(SAID[claimed])}.`, isTrue)
    },
    () => {
      const thing = about()
      return noul(
        random.pick([`The ${named(thing)} moves.`, `Does the ${thing.shape} move?`, `The ${thing.shape} changes its place.`]),
        isMove(thing.happening),
      )
    },
    () => noul(random.pick(['Nothing changes.', 'Nothing happens in the video.', 'All frames look the same.']), acting === null),
    () =>
      noul(
        random.pick(['Something moves.', 'Is there movement in the video?', 'One of the shapes moves.']),
        things.some(({ happening }) => isMove(happening)),
      ),
    () => isThere(atLast, 'disappears', (name) => [`At the end there is a ${name}.`, `Is a ${name} shown in the last frame?`]),
    () => isThere(atFirst, 'appears', (name) => [`The video begins with a ${name} in it.`, `Is a ${name} shown in the first frame?`]),
    () => {
      const thing = about()
      const wordings = [`What happens to the ${named(thing)}?`, `What does the ${thing.shape} do?`]
      return among(random, random.pick(wordings), inWords(thing.happening), [null, ...happenings].map(inWords))
    },
    () => {
      const wordings = ['What happens in the video?', 'What changes?']
      return among(random, random.pick(wordings), inWords(acting?.happening ?? null), [null, ...happenings].map(inWords))
    },
    () => {
      const thing = things.find(({ happening }) => isMove(happening)) ?? about()
      const truth = isMove(thing.happening) ? (thing.happening as string) : 'it does not move'
      return among(random, random.pick([`In which direction does the ${named(thing)} move?`, `Where does the ${thing.shape} go?`]), truth, [
        ...directions,
        'it does not move',
      ])
    },
    () =>
      things.length < 2
        ? null
        : among(
            random,
            random.pick(['Which shape changes?', 'Which one does not stay as it is?']),
            acting === null ? 'none of them' : named(acting),
            [...things.map(named), 'none of them'],
          ),
    () => {
      const thing = things.find(({ happening }) => happening === 'changes colour') ?? random.pick(things)
      if (thing.happening === 'disappears') return null
      return among(
        random,
        random.pick([`What colour is the ${thing.shape} at the end?`, `Which color does the ${thing.shape} have in the last frame?`]),
        thing.lastColour,
        Object.keys(shapeColours),
      )
    },
    () =>
      select({ random }, random.pick(['Which of these are there at the end?', 'What does the last frame show?']), atLast, [
        ...atFirst,
        away(atLast),
        away(atLast),
      ]),
    () => {
      const criteria = ['none', 'one', 'two', 'three']
      return {
        question: {
          type: 'score',
          instructions: random.pick(['How many shapes are there at the end?', 'How many shapes does the last frame show?']),
          criteria,
        },
        truth: atLast.length,
      }
    },
  ]
}

const EVENTS = ['a dialog opens', 'a dialog closes', 'another page opens', 'nothing'] as const

export function screenVideoAsks(random: Random, { pages }: ScreenScene, allKinds: readonly string[], times: readonly number[]): Ask[] {
  const [first, last] = [pages[0]!, pages.at(-1)!]
  const changes = new Set(pages.map(({ kind }) => kind)).size
  const opens = !first.hasDialog && last.hasDialog
  const closes = first.hasDialog && !last.hasDialog
  const event = opens ? EVENTS[0] : closes ? EVENTS[1] : changes > 1 ? EVENTS[2] : EVENTS[3]
  const kindClaim = (of: string, wordings: (kind: string) => readonly string[]): Asked => {
    const isTrue = random.chance(0.5)
    const others = [...pages.map(({ kind }) => kind), ...random.sample(allKinds, 2)].filter((kind) => kind !== of)
    return noul(random.pick(wordings(isTrue ? of : others[0]!)), isTrue)
  }
  return [
    () => noul(random.pick(['A dialog opens.', 'Does a dialog appear in the video?', 'A popup comes up.']), opens),
    () => noul(random.pick(['A dialog is closed.', 'The dialog goes away.', 'A popup disappears.']), closes),
    () => noul(random.pick(['At the end a dialog is open.', 'Does the last frame show a dialog?']), last.hasDialog),
    () => noul(random.pick(['The page changes.', 'Does the user go to another page?', 'Another page is opened.']), changes > 1),
    () => noul(random.pick(['Nothing changes.', 'All frames show the same.', 'Nothing happens in the video.']), event === 'nothing'),
    () =>
      kindClaim(last.kind, (kind) => [`The video ends with a page of this kind: ${kind}.`, `Is the last screen ${article(kind)} ${kind}?`]),
    () =>
      kindClaim(first.kind, (kind) => [
        `The video begins with a page of this kind: ${kind}.`,
        `Is the first screen ${article(kind)} ${kind}?`,
      ]),
    () =>
      among(random, random.pick(['What happens in the video?', 'What changes?', 'Which event does the recording show?']), event, EVENTS),
    () =>
      among(random, random.pick(['What kind of page is shown at the end?', 'Where does the user end up?']), last.kind, [
        ...pages.map(({ kind }) => kind),
        ...random.sample(allKinds, 4),
      ]),
    () =>
      among(random, random.pick(['What kind of page is shown at first?', 'Where does the video start?']), first.kind, [
        ...pages.map(({ kind }) => kind),
        ...random.sample(allKinds, 4),
      ]),
    () => {
      const at = pages.findIndex(({ hasDialog }) => hasDialog)
      return at < 1
        ? null
        : among(
            random,
            random.pick(['When is the dialog seen first?', 'At what time is the dialog open for the first time?']),
            timeText(times[at]!),
            times.map(timeText),
          )
    },
    () => ({
      question: {
        type: 'score',
        instructions: random.pick(['How many different pages are shown?', 'How many pages does the video visit?']),
        criteria: ['one', 'two', 'three'],
      },
      truth: changes - 1,
    }),
  ]
}
