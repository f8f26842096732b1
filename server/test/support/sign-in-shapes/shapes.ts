import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Shape } from './express.ts'

/** Facts about providers that issue tokens in other ways than to a user who signs in: names, addresses, formats. */
export const SHAPES = JSON.parse(readFileSync(join(import.meta.dirname, 'shapes.json'), 'utf8')) as Shape[]

/** Providers whose kinds have tests of their own. */
export const OTHER_KINDS: Record<string, string> = {
  'aws-sigv4': '`aws_signature`: each request is signed',
  'github-app-oauth': 'sign-in as a user with `oauth2`, as the app with the method of `github-app`',
}

/** Providers that a connector file cannot express yet, and what they need. */
export const NOT_EXPRESSED: Record<string, string> = {
  'crisp-plugin-install': 'an installation in the marketplace of the provider',
}
