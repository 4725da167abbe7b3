// What a request may say in `simo` of how it wants to be answered.

/** Fields of `simo`; in the caller's process they are options of `engine.ask` as well. */
export const WISHES: readonly string[] = ['deliberation', 'sets', 'abstain']
