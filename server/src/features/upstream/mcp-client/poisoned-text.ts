/** Words in a description that speak to the model behind the reader's back. They are told to whoever accepts the tool. */
const SIGNS: [what: string, sign: RegExp][] = [
  ['imitates the way this service asks for a connection', /authenticate_meta|magic_link_url|link_token/i],
  ['hides text in an HTML comment', /<!--/],
  [
    'has a block that speaks to the model and not to the reader',
    /<\/?\s*(important|system|instructions?|assistant|secret|hidden|override|critical|admin)\b/i,
  ],
  [
    'tells the model to set its instructions aside',
    /\b(ignore|disregard|forget|override)\b.{0,40}\b(previous|prior|above|earlier|other|all)\b.{0,40}\b(instructions?|prompts?|rules|tools?)\b/is,
  ],
  [
    'tells the model to keep something from the user',
    /\b(do not|don't|never|without)\b.{0,30}\b(tell|telling|mention|inform|informing|notify|show|reveal)\w*\b.{0,30}\b(user|human|person|anyone)\b/is,
  ],
]

export const findPoison = (text: string): string[] =>
  SIGNS.flatMap(([what, sign]) => (sign.test(text) ? [what] : []))
