// Says when an array is a list of parts: the one rule by which the engine, the client, the OpenAPI document and the
// console tell parts from JSON.

/** The types of parts, other vendors' among them. */
export const PART_TYPES: readonly string[] = ['text', 'json', 'image', 'image_url', 'input_image', 'video', 'file']

/** The type an element says it has; null when it says none. */
export function typeOf(element: unknown): string | null {
  if (typeof element !== 'object' || element === null || Array.isArray(element) || !Object.hasOwn(element, 'type')) return null
  const { type } = element as { readonly type: unknown }
  return typeof type === 'string' ? type : null
}

/** An array is parts when it is not empty and every element has a known part type. */
export function isParts(state: unknown): state is readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(state) && state.length > 0 && state.every((element) => PART_TYPES.includes(typeOf(element) ?? ''))
}
