import { CommandError } from '@carabiner/cli'

const WHAT =
  'domain|subdomain|site|company|account|org|organization|instance|tenant|workspace|team|shop|store'
const PLACEHOLDER = new RegExp(
  `^(?:your[-_]?[a-z0-9_-]*|(?:my|our|some|sample|example)[-_]?(?:${WHAT})|example|${WHAT}|x{3,})$`,
  'i',
)
/** RFC 2606 reserves these domains for examples. */
const EXAMPLE_DOMAIN = /(?:^|\.)example\.(?:com|net|org)$/i

const hostOf = (url: string): string => /^https:\/\/([^/?#:]+)/.exec(url)?.[1] ?? ''

/**
 * The labels of the host that are placeholders for a tenant's name, such as `your-domain` in
 * `your-domain.atlassian.net`.
 */
export const placeholdersIn = (url: string): string[] => {
  const host = hostOf(url)
  if (EXAMPLE_DOMAIN.test(host))
    throw new CommandError(
      `The document gives ${host} as the address of the API, which is an example. Set --server https://….`,
    )
  return placeholderLabels(host)
}

export const hasPlaceholder = (url: string): boolean =>
  EXAMPLE_DOMAIN.test(hostOf(url)) || placeholderLabels(hostOf(url)).length > 0

/** The last two labels are the provider's own domain. */
const placeholderLabels = (host: string): string[] =>
  host
    .split('.')
    .slice(0, -2)
    .filter(label => PLACEHOLDER.test(label))

/** The field name of a placeholder, such as `domain` for `your-domain`. */
export const placeholderName = (label: string): string =>
  label.replace(/^(?:your|my|our|some|sample|example)[-_]?(?=.)/i, '')
