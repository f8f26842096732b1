/** `content` is base64, and contains the PEM headers if there are any. */
export type PemBlock = { label: string; content: string }

const MAX_TEXT_LENGTH = 32_768

/** RFC 7468: the blocks of a text as people paste it, with any line ends, or with `\n` as two characters. */
export const pemBlocks = (text: string): PemBlock[] => {
  if (text.length > MAX_TEXT_LENGTH) return []
  const unescaped = text.replaceAll(/\\r|\\n/g, '\n')
  return [...unescaped.matchAll(/-----BEGIN ([A-Z0-9 ]{1,40})-----(.*?)-----END \1-----/gs)].map(
    ([, label = '', content = '']) => ({ label, content }),
  )
}
