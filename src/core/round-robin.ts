// Items of several groups in turn: one item of each group after the other, so that a group with many items does not
// hold up a group with few. Within a group, items keep the order in which they came.
import { Queue } from './queue.ts'

export class RoundRobin<Group, Item> {
  // A Map keeps the order of insertion, which is the order in which groups have their turns. No group in it is empty.
  readonly #groups = new Map<Group, Queue<Item>>()

  /** Adds an item behind those of its group. A group that has none joins the rotation at its end. */
  push(group: Group, item: Item): void {
    let items = this.#groups.get(group)
    if (items === undefined) {
      items = new Queue()
      this.#groups.set(group, items)
    }
    items.push(item)
  }

  /** The oldest item of the group whose turn it is; it stays. */
  peek(): { readonly group: Group; readonly item: Item } | undefined {
    for (const [group, items] of this.#groups) return { group, item: items.peek() as Item }
    return undefined
  }

  /** Items of all groups. */
  get size(): number {
    let size = 0
    for (const items of this.#groups.values()) size += items.length
    return size
  }

  /** Groups that have items, the one whose turn it is first. */
  groups(): Iterable<Group> {
    return this.#groups.keys()
  }

  /**
   * Takes the oldest item of the group whose turn it is, or of another. The group keeps its place until `toEnd` is
   * called, which is when its turn is over: at once, or when the work is done, so that groups that came meanwhile go
   * before it.
   */
  shift(group = this.peek()?.group): { readonly group: Group; readonly item: Item } | undefined {
    if (group === undefined) return undefined
    const item = this.#take(group, (items) => items.shift())
    return item === undefined ? undefined : { group, item }
  }

  /** Puts a group at the end of the rotation. Does nothing when the group has no items. */
  toEnd(group: Group): void {
    const items = this.#groups.get(group)
    if (items === undefined) return
    this.#groups.delete(group)
    this.#groups.set(group, items)
  }

  /** Takes one item out of turn; false when it is not there. */
  remove(group: Group, item: Item): boolean {
    return this.#take(group, (items) => items.remove(item)) === true
  }

  /** Takes all items of a group out of turn, oldest first. */
  removeAll(group: Group): Item[] {
    const items = this.#groups.get(group)
    this.#groups.delete(group)
    return items === undefined ? [] : Array.from({ length: items.length }, () => items.shift() as Item)
  }

  #take<T>(group: Group, take: (items: Queue<Item>) => T): T | undefined {
    const items = this.#groups.get(group)
    if (items === undefined) return undefined
    const taken = take(items)
    if (items.length === 0) this.#groups.delete(group)
    return taken
  }
}
