import type { SafeHtml } from '@remix-run/html-template'
import { apiKeyPage } from '../api-key.ts'
import { type ChooseSiteModel, chooseSitePage } from '../choose-site.ts'
import { consentPage } from '../consent.ts'
import {
  awaitingPage,
  cancelledPage,
  connectedPage,
  expiredPage,
  failedPage,
  refusedPage,
  renewalAskedPage,
  returnToAppPage,
  usedPage,
} from '../endings.ts'
import {
  type Abilities,
  type ConnectorFace,
  type ConnectorText,
  FAILURE_REASONS,
  type FormTarget,
  type KeyField,
  type KnownFrame,
  REFUSED_REASONS,
  type ToolKind,
} from '../model.ts'
import { openingPage } from '../opening.ts'
import { type PickerModel, pickerPage } from '../picker.ts'

type Face = ConnectorFace & { keywords: string[] }
type Scene = {
  frame: KnownFrame
  connector: Face
  connectors: Face[]
  /** The preview's own address: every link and form leads back to it. */
  here: string
  translate: (text: string) => ConnectorText
  form: FormTarget
}
type Sample = { group: string; label: string; page: (scene: Scene) => SafeHtml }

const SAMPLE: Face = {
  slug: 'notes',
  name: 'Notes',
  summary: 'Notes and notebooks',
  categories: ['productivity'],
  keywords: [],
  letters: null,
  tint: null,
  logo: null,
  method: 'oauth',
}
/** Titles of shipped tools, which have translations. */
const TOOLS: { kind: ToolKind; tools: string[] }[] = [
  { kind: 'read', tools: ['Read a page', 'Get a page', 'List pages', 'List comments', 'List people'] },
  { kind: 'create', tools: ['Create a page', 'Comment on a page'] },
  { kind: 'change', tools: ['Change properties of a page'] },
  { kind: 'delete', tools: ['Move a page to the trash'] },
]
const abilitiesIn = ({ translate }: Scene): Abilities => ({
  by: 'tools',
  groups: TOOLS.map(({ kind, tools }) => ({ kind, tools: tools.map(translate) })),
})
const keyIn = ({ translate }: Scene): KeyField => ({
  name: 'api_key',
  label: translate('API key'),
  hint: null,
  placeholder: null,
  suffix: null,
  choices: null,
  secret: true,
  pattern: null,
  value: null,
})

const picker = ({ frame, here, form, connectors }: Scene, changes: Partial<PickerModel> = {}): SafeHtml =>
  pickerPage(frame, {
    connectors: connectors.map((face, i) => ({ ...face, connected: i === 0 })),
    chooseHref: () => here,
    cancel: form,
    narrowed: { query: '', category: null },
    narrowHref: () => here,
    view: {},
    ...changes,
  })

const consent = (scene: Scene, changes: Partial<Parameters<typeof consentPage>[1]> = {}): SafeHtml =>
  consentPage(scene.frame, {
    connector: scene.connector,
    abilities: abilitiesIn(scene),
    fields: [],
    problem: null,
    ways: [],
    alreadyConnectedAs: null,
    start: scene.form,
    cancel: scene.form,
    backHref: scene.here,
    opensWindow: false,
    insideApp: false,
    ...changes,
  })

const keyForm = (scene: Scene, changes: Partial<Parameters<typeof apiKeyPage>[1]> = {}): SafeHtml =>
  apiKeyPage(scene.frame, {
    connector: scene.connector,
    abilities: abilitiesIn(scene),
    fields: [keyIn(scene)],
    steps: [],
    helpUrl: null,
    problem: null,
    submit: scene.form,
    cancel: scene.form,
    backHref: scene.here,
    ways: [],
    ...changes,
  })

const SITES = [
  { value: 'acme', title: 'Acme', detail: 'https://acme.example' },
  { value: 'acme-labs', title: 'Acme Labs', detail: 'https://labs.acme.example' },
  { value: 'northwind', title: 'Northwind Trading', detail: 'https://northwind.example' },
]
const chooseSite = (scene: Scene, changes: Partial<ChooseSiteModel> = {}): SafeHtml =>
  chooseSitePage(scene.frame, {
    connector: scene.connector,
    sites: SITES,
    isUnlisted: false,
    choose: scene.form,
    cancel: scene.form,
    ...changes,
  })

const sample = (group: string, label: string, page: Sample['page']): Sample => ({ group, label, page })

const returning = (outcome: 'success' | 'exit' | 'error') => (scene: Scene) =>
  returnToAppPage(scene.frame, {
    outcome,
    connector: scene.connector,
    href: 'https://app.example/',
    framed: false,
    stays: true,
  })

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
  scope_missing: 'A permission was not granted',
  no_site: 'The account has no site',
  internal: 'An error of the service',
}
const REFUSALS: Record<(typeof REFUSED_REASONS)[number], string> = {
  invalid_link: 'Invalid link',
  user_inactive: 'Inactive user',
  unauthorized_origin: 'Unauthorized origin',
  other_browser: 'Another browser',
  cookies_blocked: 'Cookies blocked',
  too_many_requests: 'Too many attempts',
  connector_gone: 'App no longer offered',
  unavailable: 'Service unavailable',
}

/** Every page that people can meet, by the last part of its address. */
export const SAMPLES: Record<string, Sample> = {
  opening: sample('Start', 'Opening', ({ frame }) => openingPage(frame)),
  picker: sample('Start', 'App picker', scene => picker(scene)),
  'picker-no-match': sample('Start', 'App picker: no match', scene =>
    picker(scene, { narrowed: { query: 'goo goo', category: null } }),
  ),
  'picker-empty': sample('Start', 'App picker: no apps', scene => picker(scene, { connectors: [] })),
  consent: sample('Consent', 'Sign in', scene => consent(scene)),
  'consent-again': sample('Consent', 'Sign in again', scene =>
    consent(scene, { alreadyConnectedAs: 'ana@example.com' }),
  ),
  'consent-ways': sample('Consent', 'Several ways to connect', scene =>
    consent(scene, {
      ways: [
        { by: 'key', href: scene.here },
        { by: 'server', href: scene.here },
      ],
    }),
  ),
  'consent-unknown-tools': sample('Consent', 'Tools not known yet', scene =>
    consent(scene, { abilities: { by: 'account' } }),
  ),
  'consent-in-app': sample('Consent', 'Inside another app', scene => consent(scene, { insideApp: true })),
  waiting: sample('Consent', 'Waiting for the window', scene =>
    consent(scene, { opensWindow: true, waitingAs: 'soon' }),
  ),
  'waiting-long': sample('Consent', 'Still waiting', scene =>
    consent(scene, { opensWindow: true, waitingAs: 'late' }),
  ),
  'popup-blocked': sample('Consent', 'Pop-up blocked', scene =>
    consent(scene, { opensWindow: true, waitingAs: 'blocked' }),
  ),
  'choose-site': sample('Consent', 'Choose a site', scene => chooseSite(scene)),
  'choose-site-unlisted': sample('Consent', 'Choose a site: not in the list', scene =>
    chooseSite(scene, { isUnlisted: true }),
  ),
  key: sample('API key', 'API key', scene => keyForm(scene)),
  'key-format': sample('API key', 'Wrong format', scene => keyForm(scene, { problem: 'format_unfit' })),
  'key-rejected': sample('API key', 'Key rejected', scene => keyForm(scene, { problem: 'key_rejected' })),
  'key-unchecked': sample('API key', 'Key could not be checked', scene =>
    keyForm(scene, { problem: 'key_check_unavailable' }),
  ),
  connected: sample('Finish', 'Connected', ({ frame, connector, form }) =>
    connectedPage(frame, { connector, account: 'ana@example.com', backHref: null, another: form }),
  ),
  awaiting: sample('Finish', 'Waiting for the application', ({ frame, connector }) =>
    awaitingPage(frame, { connector }),
  ),
  'return-success': sample('Finish', 'Returning after success', returning('success')),
  'return-exit': sample('Finish', 'Returning after cancelling', returning('exit')),
  'return-error': sample('Finish', 'Returning after a failure', returning('error')),
  cancelled: sample('Finish', 'Cancelled', ({ frame, connector, here }) =>
    cancelledPage(frame, { connector, retryHref: here, backHref: null, unexpected: false }),
  ),
  unexpected: sample('Finish', 'Not expected', ({ frame, connector }) =>
    cancelledPage(frame, { connector, retryHref: null, backHref: null, unexpected: true }),
  ),
  expired: sample('Finish', 'Expired', ({ frame, form }) => expiredPage(frame, { renew: form })),
  used: sample('Finish', 'Already used', ({ frame, connector, form }) =>
    usedPage(frame, { connector, renew: form }),
  ),
  'renewal-requested': sample('Finish', 'New link requested', ({ frame }) => renewalAskedPage(frame)),
  ...Object.fromEntries(
    FAILURE_REASONS.map(reason => [
      `failed-${reason}`,
      sample('Failures', FAILURES[reason], ({ frame, connector, here }) =>
        failedPage(frame, { connector, reason, retryHref: here, backHref: null }),
      ),
    ]),
  ),
  ...Object.fromEntries(
    REFUSED_REASONS.map(reason => [
      `refused-${reason}`,
      sample('Refusals', REFUSALS[reason], ({ frame }) => refusedPage(frame, { reason })),
    ]),
  ),
}

/** A page as people meet it, with a made-up person, and buttons that lead back to it. Null for an unknown state. */
export function previewState(
  frame: KnownFrame,
  state: string,
  { connectors, translate, here }: Pick<Scene, 'connectors' | 'translate' | 'here'>,
): SafeHtml | null {
  const shown = Object.hasOwn(SAMPLES, state) ? SAMPLES[state] : undefined
  const standIn = { ...SAMPLE, summary: translate('Notes and notebooks') }
  const faces = connectors.length > 0 ? connectors : [standIn]
  const connector = faces.find(({ method }) => method === 'oauth') ?? standIn
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
