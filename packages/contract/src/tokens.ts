/** Prefixes let people and secret scanners recognize a leaked or mistyped secret without a database lookup. */
export const tokenPrefixes = {
  productionKey: 'cb_sk_live_',
  testKey: 'cb_sk_test_',
  mcpKey: 'cb_mcp_',
  linkToken: 'cb_lnk_',
  magicLink: 'cb_mlk_',
  authorizationCode: 'cb_code_',
  signInLink: 'cb_in_',
  connectionsLink: 'cb_con_',
  accessToken: 'cb_at_',
  refreshToken: 'cb_rt_',
  grantCode: 'cb_gc_',
  continueLink: 'cb_go_',
  approvalLink: 'cb_apl_',
  approvalCode: 'cb_apc_',
} as const

export type TokenKind = keyof typeof tokenPrefixes

/**
 * After the prefix follow four characters that name the organization's installation, 43 base62 characters that encode 256 random bits,
 * and six that encode the CRC32 of all preceding characters.
 */
export const TOKEN_ROUTING_LENGTH = 4
export const TOKEN_BODY_LENGTH = 43
export const TOKEN_CHECKSUM_LENGTH = 6

/** Matches anything that looks like a Carabiner secret; used for redaction. */
export const anyTokenPattern =
  /cb_(?:sk_live|sk_test|mcp|lnk|mlk|code|in|con|at|rt|gc|go|apl|apc)_[0-9A-Za-z]{53}/g
