/** Prefixes make a leaked or mistyped secret recognisable at sight, and by scanners, without a look-up. */
export const tokenPrefixes = {
  productionKey: 'cb_sk_live_',
  testKey: 'cb_sk_test_',
  mcpKey: 'cb_mcp_',
  linkToken: 'cb_lnk_',
  magicLink: 'cb_mlk_',
  authorizationCode: 'cb_code_',
} as const

export type TokenKind = keyof typeof tokenPrefixes

/** 43 base62 characters hold 256 bits; six more hold the CRC32 of everything before them. */
export const TOKEN_BODY_LENGTH = 43
export const TOKEN_CHECKSUM_LENGTH = 6

/** Finds anything that looks like one of our secrets; used by redaction and by secret scanners. */
export const anyTokenPattern = /cb_(?:sk_live|sk_test|mcp|lnk|mlk|code)_[0-9A-Za-z]{49}/g
