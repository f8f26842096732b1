/** Tokenizers differ; for JSON with English descriptions, four bytes are about one token. */
const BYTES_PER_TOKEN = 4

const rounded = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })

/** "about 10,300 tokens" */
export const describeTokens = (bytes: number): string =>
  `about ${rounded.format(bytes / BYTES_PER_TOKEN)} tokens`
