import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Shape } from './express.ts'

/** Facts about providers that issue tokens in other ways than to a user who signs in: names, addresses, formats. */
export const SHAPES = JSON.parse(readFileSync(join(import.meta.dirname, 'shapes.json'), 'utf8')) as Shape[]

/** Providers that other kinds express. */
export const OTHER_KINDS: Record<string, string> = {
  'aws-sigv4': 'a signature of each request',
  'github-app-oauth': 'sign-in as a user with `oauth2`, as the app with the method of `github-app`',
}

/** Providers that a connector file cannot express yet, and what they need. */
export const NOT_EXPRESSED: Record<string, string> = {
  adp: 'a client certificate',
  'adp-lyric': 'a client certificate',
  'adp-run': 'a client certificate',
  'adp-workforce-now': 'a client certificate',
  'adp-workforce-now-next-gen': 'a client certificate',
  'crisp-plugin-install': 'an installation in the marketplace of the provider',
  emarsys: 'WSSE',
  garmin: 'OAuth 1.0a',
  'netsuite-tba': 'OAuth 1.0a',
  smugmug: 'OAuth 1.0a',
  trello: 'OAuth 1.0a',
  twitter: 'OAuth 1.0a',
}
