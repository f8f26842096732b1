/** RFC 3986 §2.3. `encodeURIComponent` leaves five further characters as they are. */
const RESERVED_BY_RFC_3986 = /[!'()*]/g
const OCTET_OR_OTHER = /%([\dA-Fa-f]{2})|[^\w.~-]/gu
const UNRESERVED = /^[\w.~-]$/

/** Encodes everything but unreserved characters, as signatures require (RFC 5849 §3.6). */
export const percentEncode = (text: string): string =>
  encodeURIComponent(text).replaceAll(RESERVED_BY_RFC_3986, encodeCharacter)

/** The same for a part of a URL, which may be encoded in another way. Two spellings of the same octets become one. */
export const normalizeEncoding = (part: string): string =>
  part.replaceAll(OCTET_OR_OTHER, (text, octet?: string) =>
    octet === undefined ? percentEncode(text) : normalizeOctet(octet),
  )

const normalizeOctet = (octet: string): string => {
  const character = String.fromCharCode(Number.parseInt(octet, 16))
  return UNRESERVED.test(character) ? character : `%${octet.toUpperCase()}`
}

const encodeCharacter = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase()}`
