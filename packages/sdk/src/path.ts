/** Template tag that encodes each value as one path segment: `path`/registered-users/${id}``. */
export const path = (texts: TemplateStringsArray, ...values: string[]): string =>
  texts.reduce((made, text, n) => made + segment(values[n - 1]) + text)

const segment = (value: string | undefined): string => {
  // An empty segment or dots would change the path: DELETE /users/.. does not address a user.
  if (typeof value !== 'string' || /^(\.|%2e){0,2}$/i.test(value))
    throw new TypeError(`An ID or slug is missing or invalid: ${JSON.stringify(value) ?? 'undefined'}.`)
  return encodeURIComponent(value)
}
