import type { ApprovalPreview, ConnectorFile, ConnectorTool } from '@carabiner/contract'
import { SECOND } from '../../../core/duration.ts'
import { missingScopes } from '../../connectors/link-scopes.ts'
import { secretTexts } from '../../upstream/authorization-kinds/authorization-kinds.ts'
import type { ToolArguments } from '../../upstream/http/tool-request.ts'
import { selectPointer } from '../../upstream/read-by-pointer.ts'
import { fillValue, namesIn } from '../../upstream/templates/template.ts'
import { createScrubber } from '../results/scrub-secrets.ts'
import { type Access, userSecretOf } from '../steps/call/access.ts'
import type { CallState, PreviewReader } from '../steps/call/call-step.ts'
import { callWithRetry, type RetryDeps, startDeadline } from './call-with-retry.ts'
import { httpProvider } from './http-provider.ts'

/** Of all previews of a call together. The person can be asked without them. */
const TIMEOUT_MS = 5 * SECOND
const MAX_TEXT_LENGTH = 300
const MAX_VALUES = 20

type DeclaredPreview = NonNullable<ConnectorTool['preview']>[number]
type Reading = { call: CallState; access: Access; args: ToolArguments; connector: ConnectorFile }

export const createPreviewReader =
  (deps: RetryDeps): PreviewReader =>
  call => {
    const { callable, access, argumentsToSend: args } = call
    if (callable.kind !== 'http' || !callable.tool.preview || access?.by !== 'user' || !args) return null
    const { connector } = callable
    const used = callable.tool.preview.filter(({ arguments: templates }) =>
      namesIn(templates).every(name => args[name] !== undefined && args[name] !== null),
    )
    if (used.length === 0) return null
    return () =>
      Promise.all(
        used.map(preview =>
          readPreview(deps, { call, access, args, connector }, preview).catch(() => NOT_LOADED),
        ),
      )
  }

const NOT_LOADED: ApprovalPreview = { is_loaded: false, fields: [] }

const readPreview = async (
  deps: RetryDeps,
  { call, access, args, connector }: Reading,
  { tool: name, arguments: templates, fields }: DeclaredPreview,
): Promise<ApprovalPreview> => {
  const tool = connector.tools.find(one => one.name === name)
  const { organizationId, userId, credential } = call.admission
  if (!tool?.read_only || !credential) return NOT_LOADED
  // An API key has no scopes to compare.
  if (credential.oauthApp !== null && missingScopes(tool.scopes, credential.scopes).length > 0)
    return NOT_LOADED
  const request = {
    organizationId,
    registeredUserId: userId,
    access,
    args: fillValue(templates, args) as ToolArguments,
    options: startDeadline(
      { callTimeoutMs: TIMEOUT_MS },
      {
        signal: AbortSignal.timeout(TIMEOUT_MS),
        onProgress: null,
        idempotencyKey: null,
        traceparent: null,
        serverTask: null,
      },
    ),
  }
  const answer = await callWithRetry(deps, httpProvider({ connector, tool }), request)
  if (answer.kind !== 'value') return NOT_LOADED
  const scrub = createScrubber(secretTexts(connector, userSecretOf(access)))
  const shown = fields.flatMap(({ label, at, display_only: displayOnly = false }) => {
    const text = textOf(scrub(selectPointer(answer.value, at)))
    return text === '' ? [] : [{ label, text, display_only: displayOnly }]
  })
  return shown.length === 0 ? NOT_LOADED : { is_loaded: true, fields: shown }
}

/** One line. Objects are omitted: nobody can read them at a glance. */
const textOf = (value: unknown): string => {
  const texts = [value]
    .flat(2)
    .filter(one => typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean')
    .map(String)
    .filter(text => text.trim() !== '')
  const more = texts.length > MAX_VALUES ? `, … (${texts.length})` : ''
  const joined = `${texts.slice(0, MAX_VALUES).join(', ')}${more}`
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
  const shown = joined.length > MAX_TEXT_LENGTH ? `${joined.slice(0, MAX_TEXT_LENGTH)}…` : joined
  return shown.toWellFormed()
}
