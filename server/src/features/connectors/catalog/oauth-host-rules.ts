import { type ConnectorFile, oauthMethod } from '@carabiner/contract'
import { type Ending, endingsOf, joinEndings } from '../../../core/pattern-endings.ts'
import { namesIn } from '../../upstream/http/template.ts'
import { addressesOf, originOf } from './connector-addresses.ts'
import { type Problem, problem } from './connector-problem.ts'

/**
 * The OAuth app's client secret is sent to these hosts. A person who could choose the host could have the secret sent to a
 * server of their own, so whatever a person enters, the host ends in a domain that the file fixes.
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
  `the client secret is sent here, so {${name}} must not decide the whole host: end the host, or the pattern of {${name}}, with a fixed domain such as .example.com`

/**
 * Values that a person types, and parameters of the callback, which the person's browser carries. Choices are not among them:
 * the file fixes every value.
 */
const enteredValues = ({ tenant = [], ...file }: ConnectorFile): Map<string, Ending[]> => {
  const typed = tenant.filter(({ choices }) => !choices)
  const fromCallback = (oauthMethod(file)?.learns ?? []).filter(({ from }) => from === 'callback')
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

/** At least two labels are fixed, from their beginning. */
const endsInDomain = ({ text, whole }: Ending): boolean =>
  /\.[a-z0-9-]+\.[a-z][a-z0-9-]+$/i.test(whole ? `.${text}` : text)
