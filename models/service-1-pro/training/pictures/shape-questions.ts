/** Questions about pictures of shapes: colours, outlines, counts, places. */
import { type Asked, type Asker, choice, noul, ofRole, scale, select, uniquelyNamed } from './asking.ts'
import { shapeColours, shapeNames } from './shape-pictures.ts'

export const shapeQuestion: Asker = (context) => {
  const { page, random } = context
  const shapes = ofRole(page, 'shape').map((element) => ({
    element,
    colour: element.name.split(' ')[0]!,
    shape: element.name.split(' ')[1]!,
  }))
  if (shapes.length === 0) return null
  const colours = Object.keys(shapeColours)
  const single = uniquelyNamed(shapes.map((shape) => shape.element))
  const anyOf = random.pick(shapes)
  return random.pick<() => Asked | null>([
    () => {
      const truth = random.chance(0.5)
      const colour = truth ? anyOf.colour : random.pick(colours.filter((name) => !shapes.some((shape) => shape.colour === name)))
      return noul(
        random.pick([`Is there a ${colour} shape?`, `The picture contains something ${colour}.`, `There is a ${colour} shape.`]),
        truth,
      )
    },
    () => {
      const away = shapeNames.filter((name) => !shapes.some((shape) => shape.shape === name))
      const truth = random.chance(0.5) || away.length === 0
      const name = truth ? anyOf.shape : random.pick(away)
      return noul(random.pick([`Is there a ${name}?`, `The picture shows a ${name}.`, `Does the image contain a ${name}?`]), truth)
    },
    () => {
      const name = random.chance(0.5)
        ? anyOf.element.name
        : `${random.pick(colours)} ${random.pick([anyOf.shape, random.pick(shapeNames)])}`
      return noul(
        random.pick([`There is a ${name}.`, `Is a ${name} present?`]),
        shapes.some((shape) => shape.element.name === name),
      )
    },
    () =>
      shapes.length === 1
        ? choice(context, random.pick(['What shape is present?', 'Which shape does the image contain?']), anyOf.shape, shapeNames)
        : null,
    () =>
      shapes.length === 1
        ? choice(
            context,
            random.pick(['What colour is the shape?', 'What color is the shape?', 'Which colour is used?']),
            anyOf.colour,
            colours,
          )
        : null,
    () => {
      if (single.length === 0) return null
      const [colour, shape] = random.pick(single).name.split(' ') as [string, string]
      const sameShape = shapes.filter((other) => other.shape === shape)
      return sameShape.length === 1 ? choice(context, `What colour is the ${shape}?`, colour, colours) : null
    },
    () =>
      select(
        context,
        random.pick(['Select the colours of the shapes.', 'Which colours occur?']),
        [...new Set(shapes.map((shape) => shape.colour))],
        colours,
      ),
    () =>
      select(
        context,
        random.pick(['Which shapes are in the picture?', 'Select the shapes that occur.']),
        [...new Set(shapes.map((shape) => shape.shape))],
        shapeNames,
      ),
    () => ({
      question: {
        type: 'score',
        instructions: random.pick(['How many shapes are there?', 'Number of shapes']),
        criteria: ['none', 'one', 'two to four', 'five or more'],
      },
      truth: scale([1, 2, 5], shapes.length),
    }),
    () => {
      const away = `${random.pick(colours)} ${random.pick(shapeNames)}`
      const isAbsent = random.chance(0.15) && !shapes.some((shape) => shape.element.name === away)
      const element = single.length > 0 ? random.pick(single) : null
      if (!element) return null
      const name = isAbsent ? away : element.name
      return {
        question: {
          type: 'extract',
          instructions: random.pick([`Where is the ${name}?`, `Box around the ${name}`, `Locate the ${name}.`]),
          kind: 'coordinates',
        },
        truth: isAbsent ? null : [...element.box],
      }
    },
  ])()
}
