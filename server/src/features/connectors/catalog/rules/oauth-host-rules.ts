import { type ConnectorFile, oauthMethod } from '@carabiner/contract'
import { type Ending, endingsOf, joinEndings } from '../../../../core/pattern-endings.ts'
import { namesIn } from '../../../upstream/templates/template.ts'
import { addressesOf, originOf } from './connector-addresses.ts'
import { type Problem, problem } from './connector-problem.ts'

/**
 * The client secret of the OAuth app is sent to these hosts. A user who could choose the host could obtain the
 * secret, so whatever a user enters, the host must end in a domain that the file fixes.
 */
export const oauthHostProblems = (file: ConnectorFile): Problem[] => {
  const entered = enteredValues(file)
  return addressesOf(file)
    .filter(({ use }) => use === 'oauth')
    .flatMap(({ path, url }) => {
      const origin = originOf(url)
      const name = namesIn(origin).find(one => entered.has(one))
      return name === undefined || hostEndings(origin, entered).every(endsInDomain)
        ? []
        : [problem(path, hostReason(name))]
    })
}

const hostReason = (name: string): string =>
  `the client secret is sent here, so {${name}} must not determine the whole host: end the host, or the pattern of {${name}}, with a fixed domain such as .example.com`

/**
 * Values that a user types, and parameters of the callback, which the user's browser sends. Choices are excluded,
 * because the file fixes their values.
 */
const enteredValues = ({ tenant = [], ...file }: ConnectorFile): Map<string, Ending[]> => {
  const typed = tenant.filter(({ choices }) => !choices)
  const fromCallback = (oauthMethod(file)?.learned_values ?? []).filter(({ from }) => from === 'callback')
  return new Map(
    [...typed, ...fromCallback].map(({ name, pattern }) => [`tenant.${name}`, endingsOf(pattern ?? '[^]*')]),
  )
}

const hostEndings = (origin: string, entered: Map<string, Ending[]>): Ending[] =>
  origin
    .replace(/^https?:\/\//, '')
    .split(/(\{[^}]*\})/)
    .map(part =>
      part.startsWith('{')
        ? (entered.get(part.slice(1, -1)) ?? [{ text: '', whole: false }])
        : [{ text: part, whole: true }],
    )
    .reduce(joinEndings)

/** At least two complete labels are fixed. */
const endsInDomain = ({ text, whole }: Ending): boolean =>
  /\.[a-z0-9-]+\.[a-z][a-z0-9-]+$/i.test(whole ? `.${text}` : text)
