import type { SafeHtml } from '@remix-run/html-template'
import { DAY } from '../../../../core/duration.ts'
import { apiKeyPage } from '../api-key.ts'
import { type ChooseAccountModel, chooseAccountPage } from '../choose-account-page.ts'
import { type ChooseSiteModel, chooseSitePage } from '../choose-site-page.ts'
import { consentPage } from '../consent-page.ts'
import {
  awaitingPage,
  cancelledPage,
  connectedPage,
  expiredPage,
  failedPage,
  refusedPage,
  renewalRequestedPage,
  returnToAppPage,
  usedPage,
  withdrawnPage,
} from '../endings.ts'
import {
  type Abilities,
  FAILURE_REASONS,
  type KeyProblem,
  type KnownFrame,
  type Outcome,
  REFUSED_REASONS,
  type ToolKind,
} from '../model.ts'
import { openingPage } from '../opening.ts'
import { type PickerModel, pickerPage } from '../picker.ts'
import { backToClientPage, signInPage } from '../sign-in.ts'
import { APPROVAL_SAMPLES } from './approval-samples.ts'
import { CONNECTIONS_SAMPLES } from './connections-samples.ts'
import { sampleCredentialFields, sampleKeyField } from './field-samples.ts'
import { type Sample, type SampleConnector, type SampleContext, sample } from './sample.ts'

const SAMPLE_CONNECTOR: SampleConnector = {
  slug: 'notes',
  name: 'Notes',
  summary: 'Notes and notebooks',
  categories: ['productivity'],
  keywords: [],
  letters: null,
  tint: null,
  logo: null,
  linkedBy: 'sign_in',
}
/** Titles of shipped tools, because those have translations. */
const TOOLS: { kind: ToolKind; tools: string[] }[] = [
  { kind: 'read', tools: ['Read a page', 'Get a page', 'List pages', 'List comments', 'List people'] },
  { kind: 'create', tools: ['Create a page', 'Comment on a page'] },
  { kind: 'change', tools: ['Change properties of a page'] },
  { kind: 'delete', tools: ['Move a page to the trash'] },
]
const sampleAbilities = ({ translate }: SampleContext): Abilities => ({
  by: 'tools',
  groups: TOOLS.map(({ kind, tools }) => ({ kind, tools: tools.map(translate) })),
})
const picker = (
  { frame, here, form, connectors }: SampleContext,
  changes: Partial<PickerModel> = {},
): SafeHtml =>
  pickerPage(frame, {
    connectors: connectors.map((connector, i) => ({ ...connector, connected: i === 0 })),
    chooseHref: () => here,
    cancel: form,
    filter: { query: '', category: null },
    filterHref: () => here,
    view: {},
    ...changes,
  })

const consent = (
  context: SampleContext,
  changes: Partial<Parameters<typeof consentPage>[1]> = {},
): SafeHtml =>
  consentPage(context.frame, {
    connector: context.connector,
    abilities: sampleAbilities(context),
    fields: [],
    problem: null,
    alternatives: [],
    alreadyConnectedAs: null,
    endsSharing: false,
    serverHost: null,
    start: context.form,
    cancel: context.form,
    backHref: context.here,
    opensWindow: false,
    insideApp: false,
    ...changes,
  })

const keyForm = (context: SampleContext, changes: Partial<Parameters<typeof apiKeyPage>[1]> = {}): SafeHtml =>
  apiKeyPage(context.frame, {
    connector: context.connector,
    abilities: sampleAbilities(context),
    asksFor: 'key',
    fields: [sampleKeyField(context)],
    steps: [],
    helpUrl: null,
    problem: null,
    endsSharing: false,
    serverHost: null,
    submit: context.form,
    cancel: context.form,
    backHref: context.here,
    alternatives: [],
    ...changes,
  })

const credentialForm = (context: SampleContext, problem: KeyProblem | null = null): SafeHtml =>
  keyForm(context, { asksFor: 'credentials', fields: sampleCredentialFields(context), problem })

const SITES = [
  { value: 'acme', title: 'Acme', detail: 'https://acme.example' },
  { value: 'acme-labs', title: 'Acme Labs', detail: 'https://labs.acme.example' },
  { value: 'northwind', title: 'Northwind Trading', detail: 'https://northwind.example' },
]
const chooseSite = (context: SampleContext, changes: Partial<ChooseSiteModel> = {}): SafeHtml =>
  chooseSitePage(context.frame, {
    connector: context.connector,
    kind: 'site',
    sites: SITES,
    isUnlisted: false,
    choose: context.form,
    cancel: context.form,
    ...changes,
  })

const LINKED = [
  { id: 'work', label: 'Work', account: 'jordan@acme.example', isShared: false },
  {
    id: 'private',
    label: 'jordan.private@mail.example',
    account: 'jordan.private@mail.example',
    isShared: true,
  },
]
const chooseAccount = (context: SampleContext, changes: Partial<ChooseAccountModel> = {}): SafeHtml =>
  chooseAccountPage(context.frame, {
    connector: context.connector,
    account: 'jordan@labs.example',
    linked: LINKED,
    isUnlisted: false,
    add: 'add',
    choose: context.form,
    cancel: context.form,
    ...changes,
  })

const returning = (outcome: 'success' | 'exit' | 'error') => (context: SampleContext) =>
  returnToAppPage(context.frame, {
    outcome,
    connector: context.connector,
    href: 'https://app.example/',
    framed: false,
    stays: true,
  })

const clientSignIn = ({ frame, form }: SampleContext, host: string | null): SafeHtml =>
  signInPage(frame, { client: { name: 'Claude', host }, packName: 'Support', allow: form, deny: form })

const backToClient =
  (outcome: Outcome) =>
  ({ frame }: SampleContext): SafeHtml =>
    backToClientPage(frame, { clientName: 'Cursor', outcome, href: 'https://app.example/', stays: true })

const FAILURES: Record<(typeof FAILURE_REASONS)[number], string> = {
  provider_error: 'The provider reported an error',
  provider_timeout: 'The provider took too long',
  provider_unavailable: 'The provider cannot be reached',
  exchange_failed: 'The sign-in was not confirmed',
  issuer_mismatch: 'The response came from elsewhere',
  invalid_state: 'The response belongs to another sign-in',
  session_expired: 'The link expired during sign-in',
  key_rejected: 'The key was rejected',
  key_check_unavailable: 'The key could not be checked',
  certificate_refused: 'The certificate was refused',
  scope_missing: 'A permission was not granted',
  no_site: 'The account has no site',
  connector_removed: 'The app is no longer offered',
  internal: 'An error of the service',
}
const REFUSALS: Record<(typeof REFUSED_REASONS)[number], string> = {
  invalid_link: 'Invalid link',
  user_inactive: 'Inactive user',
  unauthorized_origin: 'Unauthorized origin',
  other_browser: 'Another browser',
  opened_elsewhere: 'My connections: opened in another browser',
  cookies_blocked: 'Cookies blocked',
  too_many_requests: 'Too many attempts',
  connector_gone: 'App no longer offered',
  unavailable: 'Service unavailable',
  organization_moving: 'Being moved to another server',
  wrong_cell: 'Opened at another server',
  organization_suspended: 'Organization suspended',
  sign_in_invalid: 'Client sign-in: expired or incomplete',
  sign_in_not_allowed: 'Client sign-in: no access',
  sign_in_unmatched: 'Client sign-in: person not recognized',
  sign_in_email_unverified: 'Client sign-in: email not verified',
  sign_in_denied: 'Client sign-in: denied by the identity provider',
  sign_in_failed: 'Client sign-in: identity provider failed',
  approval_invalid: 'Approval: cannot be opened',
  approval_of_another_user: 'Approval: for another user',
}

/** A sample of every page, keyed by the last segment of its address. */
export const SAMPLES: Record<string, Sample> = {
  opening: sample('Start', 'Opening', ({ frame }) => openingPage(frame)),
  picker: sample('Start', 'App picker', context => picker(context)),
  'picker-no-match': sample('Start', 'App picker: no match', context =>
    picker(context, { filter: { query: 'goo goo', category: null } }),
  ),
  'picker-empty': sample('Start', 'App picker: no apps', context => picker(context, { connectors: [] })),
  consent: sample('Consent', 'Sign in', context => consent(context)),
  'consent-again': sample('Consent', 'Sign in again', context =>
    consent(context, { alreadyConnectedAs: 'ana@example.com' }),
  ),
  'consent-ends': sample('Consent', 'Before the connection ends', context =>
    consent(context, {
      alreadyConnectedAs: 'ana@example.com',
      reconnectReason: { kind: 'endsOn', at: new Date(context.frame.time.getTime() + 3 * DAY) },
    }),
  ),
  'api-key-replace': sample('Consent', 'API key: the provider asks for a new key', context =>
    keyForm(context, {
      reconnectReason: { kind: 'newKeyBy', at: new Date(context.frame.time.getTime() + 3 * DAY) },
    }),
  ),
  'consent-ended': sample('Consent', 'After the connection has ended', context =>
    consent(context, { reconnectReason: { kind: 'ended' } }),
  ),
  'consent-failing': sample('Consent', 'The connection may end', context =>
    consent(context, { reconnectReason: { kind: 'failing' } }),
  ),
  'consent-ways': sample('Consent', 'Several ways to connect', context =>
    consent(context, {
      alternatives: [
        { by: 'key', href: context.here },
        { by: 'server', href: context.here },
      ],
    }),
  ),
  'consent-unknown-tools': sample('Consent', 'Tools not known yet', context =>
    consent(context, { abilities: { by: 'account' } }),
  ),
  'consent-in-app': sample('Consent', 'Inside another app', context => consent(context, { insideApp: true })),
  waiting: sample('Consent', 'Waiting for the window', context =>
    consent(context, { opensWindow: true, waitingAs: 'soon' }),
  ),
  'waiting-long': sample('Consent', 'Still waiting', context =>
    consent(context, { opensWindow: true, waitingAs: 'late' }),
  ),
  'consent-server': sample('Consent', 'Consent: MCP server', context =>
    consent(context, { serverHost: 'mcp.acme.example' }),
  ),
  'consent-shared': sample('Consent', 'Consent: reconnect a shared account', context =>
    consent(context, { alreadyConnectedAs: 'jordan@acme.example', endsSharing: true }),
  ),
  'api-key-server': sample('Consent', 'API key: the server has changed', context =>
    keyForm(context, { serverHost: 'mcp.acme.example:8443', problem: 'server_changed' }),
  ),
  'popup-blocked': sample('Consent', 'Pop-up blocked', context =>
    consent(context, { opensWindow: true, waitingAs: 'blocked' }),
  ),
  'choose-site': sample('Consent', 'Choose a site', context => chooseSite(context)),
  'choose-account': sample('Consent', 'Replace or add?', context => chooseAccount(context)),
  'choose-account-unnamed': sample('Consent', 'Replace or add? The provider names no account', context =>
    chooseAccount(context, { account: null, linked: LINKED.slice(0, 1) }),
  ),
  'choose-account-unlisted': sample('Consent', 'Replace or add? The account was disconnected', context =>
    chooseAccount(context, { isUnlisted: true }),
  ),
  'choose-organization': sample('Consent', 'Choose an organization', context =>
    chooseSite(context, { kind: 'organization' }),
  ),
  'choose-site-unlisted': sample('Consent', 'Choose a site: not in the list', context =>
    chooseSite(context, { isUnlisted: true }),
  ),
  key: sample('API key', 'API key', context => keyForm(context)),
  'key-format': sample('API key', 'Wrong format', context => keyForm(context, { problem: 'format_unfit' })),
  'key-rejected': sample('API key', 'Key rejected', context => keyForm(context, { problem: 'key_rejected' })),
  'key-unchecked': sample('API key', 'Key could not be checked', context =>
    keyForm(context, { problem: 'key_check_unavailable' }),
  ),
  credentials: sample('API key', 'Other credentials', context => credentialForm(context)),
  'credentials-rejected': sample('API key', 'Other credentials rejected', context =>
    credentialForm(context, 'key_rejected'),
  ),
  connected: sample('Finish', 'Connected', ({ frame, connector, form }) =>
    connectedPage(frame, { connector, account: 'ana@example.com', back: null, another: form }),
  ),
  awaiting: sample('Finish', 'Waiting for the application', ({ frame, connector }) =>
    awaitingPage(frame, { connector }),
  ),
  'return-success': sample('Finish', 'Returning after success', returning('success')),
  'return-exit': sample('Finish', 'Returning after cancelling', returning('exit')),
  'return-error': sample('Finish', 'Returning after a failure', returning('error')),
  cancelled: sample('Finish', 'Canceled', ({ frame, connector, here }) =>
    cancelledPage(frame, { connector, retryHref: here, back: null, unexpected: false }),
  ),
  unexpected: sample('Finish', 'Not expected', ({ frame, connector }) =>
    cancelledPage(frame, { connector, retryHref: null, back: null, unexpected: true }),
  ),
  expired: sample('Finish', 'Expired', ({ frame, form }) => expiredPage(frame, { renew: form })),
  withdrawn: sample('Finish', 'Withdrawn', ({ frame, form }) => withdrawnPage(frame, { renew: form })),
  used: sample('Finish', 'Already used', ({ frame, connector, form }) =>
    usedPage(frame, { connector, renew: form }),
  ),
  'renewal-requested': sample('Finish', 'New link requested', ({ frame }) => renewalRequestedPage(frame)),
  ...Object.fromEntries(
    FAILURE_REASONS.map(reason => [
      `failed-${reason}`,
      sample('Failures', FAILURES[reason], ({ frame, connector, here }) =>
        failedPage(frame, { connector, reason, retryHref: here, back: null }),
      ),
    ]),
  ),
  ...CONNECTIONS_SAMPLES,
  ...APPROVAL_SAMPLES,
  'client-sign-in': sample('MCP clients', 'Allow a client', context =>
    clientSignIn(context, 'client.example'),
  ),
  'client-sign-in-device': sample('MCP clients', 'Allow a client on the device', context =>
    clientSignIn(context, null),
  ),
  'client-allowed': sample('MCP clients', 'Back to the client, allowed', backToClient('success')),
  'client-not-allowed': sample('MCP clients', 'Back to the client, not allowed', backToClient('exit')),
  ...Object.fromEntries(
    REFUSED_REASONS.map(reason => [
      `refused-${reason}`,
      sample('Refusals', REFUSALS[reason], ({ frame, form }) => {
        const client = { name: 'Claude', host: 'claude.example', back: form }
        return refusedPage(frame, { reason, client: reason.startsWith('sign_in_') ? client : null })
      }),
    ]),
  ),
}

/** Renders a page with sample data; its links and forms lead back to it. Returns null for an unknown state. */
export function previewState(
  frame: KnownFrame,
  state: string,
  { connectors, translate, here }: Pick<SampleContext, 'connectors' | 'translate' | 'here'>,
): SafeHtml | null {
  const shown = Object.hasOwn(SAMPLES, state) ? SAMPLES[state] : undefined
  const sampleConnector = { ...SAMPLE_CONNECTOR, summary: translate('Notes and notebooks') }
  const faces = connectors.length > 0 ? connectors : [sampleConnector]
  const connector = faces.find(({ linkedBy }) => linkedBy === 'sign_in') ?? sampleConnector
  return (
    shown?.page({
      frame,
      connector,
      connectors: faces,
      translate,
      here,
      form: { action: here, fields: {} },
    }) ?? null
  )
}
