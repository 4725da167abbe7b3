// Attention of groups of pieces that do not see each other (questions behind one state, texts each by itself): group by
// group, in a loop within the graph, while everything else is done for the pass at once. So the sums of a group are the
// same to the last bit in any company. In one node for all groups they would not be: where a group stands decides in
// which order its numbers are added, and in eight bits the last bit of a sum turns a rounding now and then.
import type { Graph } from './graph.ts'
import { MICROSOFT, makeNode, type Node, type Value } from './nodes.ts'
import { BOOL, FLOAT, INT64 } from './small-tensors.ts'

/**
 * Inputs of a graph that attends by group. `bias`: what is added to the logits, one group after the other,
 * [pieces][kept + pieces] of each. `groups` [groups][8]: where the pieces of a group begin and end, where its bias
 * begins and ends, and the shape of that, [1][1][pieces][kept + pieces].
 */
export const GROUPS = { bias: 'bias', groups: 'groups' } as const
export const GROUP_NUMBERS = 8

const COUNT = 'groups/count'

/** Names of what all pieces of a pass give, [1][pieces][width]. */
interface OfPass {
  readonly query: string
  readonly keys: string
  readonly values: string
}

/** Names of keys and values that were kept, heads first. */
type Past = Pick<OfPass, 'keys' | 'values'>

interface Size {
  readonly heads: number
  readonly width: number
}

/**
 * One layer: each group attends to what was kept and to itself, as its part of the bias says. The graph has to take
 * groups (`takeGroups`).
 */
export function groupAttention(graph: Graph, pass: OfPass, past: Past, { heads, width }: Size, output: string): Node[] {
  const own = (name: string): string => `${output}/${name}`
  const axis = (number: number): string => graph.constant(INT64, [1], [number])
  const all = { name: own('all'), type: FLOAT, dims: [1, null, width] }
  const none = graph.constant(FLOAT, [1, 0, width], [])
  const [pieces, bias] = [
    [own('from'), own('to'), axis(1)],
    [own('bias_from'), own('bias_to'), axis(0)],
  ]
  const part = (value: string, of: readonly string[], name: string): Node => makeNode('Slice', [value, ...of], [own(name)])
  const numbers = [own('from'), own('to'), own('bias_from'), own('bias_to'), own('shape')]
  const given = [own('query'), own('keys'), own('values'), '', '', own('bias'), past.keys, past.values]
  // The graph scales queries itself.
  const attention = { num_heads: heads, scale: { float: 1 } }
  const nodes = [
    makeNode('Gather', [GROUPS.groups, own('number')], [own('group')]),
    makeNode('Split', [own('group'), graph.constant(INT64, [5], [1, 1, 1, 1, 4])], numbers),
    part(pass.query, pieces, 'query'),
    part(pass.keys, pieces, 'keys'),
    part(pass.values, pieces, 'values'),
    part(GROUPS.bias, bias, 'flat_bias'),
    makeNode('Reshape', [own('flat_bias'), own('shape')], [own('bias')]),
    // All keys and values are named since the runtime takes what was kept for nothing where they are not.
    makeNode('MultiHeadAttention', given, [own('seen'), own('all_keys'), own('all_values')], attention, MICROSOFT),
    makeNode('Concat', [own('before'), own('seen')], [own('all')], { axis: 1 }),
    makeNode('Identity', [own('go_on')], [own('goes_on')]),
  ]
  const body = {
    nodes,
    inputs: [scalar(own('number'), INT64), scalar(own('go_on'), BOOL), { ...all, name: own('before') }],
    outputs: [scalar(own('goes_on'), BOOL), all],
  }
  return [makeNode('Loop', [COUNT, '', none], [output], { body: { graph: body } })]
}

const scalar = (name: string, type: number): Value => ({ name, type, dims: [] })

/** Declares the inputs that `groupAttention` of its layers takes, and counts the groups. */
export function takeGroups(graph: Graph): void {
  graph.inputs = [
    ...graph.inputs.filter(({ name }) => name !== GROUPS.bias),
    { name: GROUPS.bias, type: FLOAT, dims: [null] },
    { name: GROUPS.groups, type: INT64, dims: [null, GROUP_NUMBERS] },
  ]
  graph.nodes = [makeNode('Shape', [GROUPS.groups], [COUNT], { start: 0, end: 1 }), ...graph.nodes]
}
