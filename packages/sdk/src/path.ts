/** A path whose values cannot leave their place: `path`/registered-users/${id}``. */
export const path = (texts: TemplateStringsArray, ...values: string[]): string =>
  texts.reduce((made, text, n) => made + segment(values[n - 1]) + text)

const segment = (value: string | undefined): string => {
  // An empty one, or dots, would turn one address into another: DELETE /users/.. is not about a user.
  if (typeof value !== 'string' || /^(\.|%2e){0,2}$/i.test(value))
    throw new TypeError(`An id or a slug is missing: ${JSON.stringify(value) ?? 'undefined'} was given.`)
  return encodeURIComponent(value)
}
