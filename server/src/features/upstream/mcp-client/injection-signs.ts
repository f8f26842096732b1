/** Signs of prompt injection in a tool description. They are shown to the person who accepts the tool. */
const SIGNS: [what: string, sign: RegExp][] = [
  ['imitates the authentication request of this service', /authenticate_meta|magic_link_url|link_token/i],
  ['hides text in an HTML comment', /<!--/],
  [
    'has a block that addresses the model instead of the reader',
    /<\/?\s*(important|system|instructions?|assistant|secret|hidden|override|critical|admin)\b/i,
  ],
  [
    'tells the model to ignore its instructions',
    /\b(ignore|disregard|forget|override)\b.{0,40}\b(previous|prior|above|earlier|other|all)\b.{0,40}\b(instructions?|prompts?|rules|tools?)\b/is,
  ],
  [
    'tells the model to keep something from the user',
    /\b(do not|don't|never|without)\b.{0,30}\b(tell|telling|mention|inform|informing|notify|show|reveal)\w*\b.{0,30}\b(user|human|person|anyone)\b/is,
  ],
]

export const findInjectionSigns = (text: string): string[] =>
  SIGNS.flatMap(([what, sign]) => (sign.test(text) ? [what] : []))
