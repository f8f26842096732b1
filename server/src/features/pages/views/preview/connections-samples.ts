import type { SafeHtml } from '@remix-run/html-template'
import { DAY, HOUR } from '../../../../core/duration.ts'
import { type ConnectionModel, connectionPage } from '../connections/detail.ts'
import { confirmDisconnectPage, disconnectedPage } from '../connections/disconnect.ts'
import { connectionsPage, openConnectionsPage } from '../connections/list.ts'
import type { ConnectionDetail } from '../connections/model.ts'
import { replacePage } from '../connections/replace.ts'
import { CONNECTION_STATES, type KeyProblem, REVOCATION_STATES } from '../model.ts'
import { sampleCredentialFields } from './field-samples.ts'
import { type Sample, type SampleContext, sample } from './sample.ts'

const SAMPLE_TIME = new Date('2026-11-03T09:41:00Z')

const sampleConnection = (
  { connector, translate }: SampleContext,
  changes: Partial<ConnectionDetail> = {},
): ConnectionDetail => ({
  connector,
  account: 'ana@example.com',
  label: 'ana@example.com',
  state: 'active',
  since: SAMPLE_TIME,
  pausedUntil: null,
  calls: ['List pages', 'Create a page', 'Read a page'].map((title, i) => ({
    tool: translate(title),
    at: SAMPLE_TIME,
    succeeded: i !== 1,
  })),
  ...changes,
})

const connection = (
  context: SampleContext,
  changes: Partial<ConnectionDetail> = {},
  model: Partial<Pick<ConnectionModel, 'rename' | 'rejectedLabel' | 'replace' | 'wasReplaced'>> = {},
): SafeHtml =>
  connectionPage(context.frame, {
    connection: sampleConnection(context, changes),
    backHref: context.here,
    reconnect: context.form,
    add: context.form,
    rename: null,
    rejectedLabel: null,
    replace: null,
    wasReplaced: false,
    pause: context.form,
    resume: context.form,
    disconnectHref: context.here,
    ...model,
  })

const replacement = (context: SampleContext, problem: KeyProblem | null = null): SafeHtml =>
  replacePage(context.frame, {
    connector: context.connector,
    asksFor: 'credentials',
    fields: sampleCredentialFields(context).map(field => ({ ...field, required: false })),
    steps: [],
    helpUrl: null,
    problem,
    invalidField: null,
    submit: context.form,
    backHref: context.here,
  })

const REVOCATIONS: Record<(typeof REVOCATION_STATES)[number], string> = {
  pending: 'Disconnected: revocation pending',
  revoked: 'Disconnected: revoked',
  not_supported: 'Disconnected: revocation not supported',
  kept_shared: 'Disconnected: permission shared',
  gave_up: 'Disconnected: not confirmed',
}

/** The pages of My connections. */
export const CONNECTIONS_SAMPLES: Record<string, Sample> = {
  'connections-open': sample('My connections', 'Before it is opened', ({ frame, form }) =>
    openConnectionsPage(frame, { open: form }),
  ),
  connections: sample('My connections', 'Connections', ({ frame, connectors, here, form }) =>
    connectionsPage(frame, {
      clients: [{ name: 'Claude', since: SAMPLE_TIME, signOut: form }],
      pending: [
        { connector: 'Notes', title: 'Create a note', accountLabel: 'Work', since: SAMPLE_TIME, deny: form },
      ],
      decided: [
        {
          connector: 'Notes',
          title: 'Create a note',
          accountLabel: 'Work',
          decision: 'approve',
          at: SAMPLE_TIME,
        },
        {
          connector: 'Notes',
          title: 'Delete a note',
          accountLabel: null,
          decision: 'deny',
          at: SAMPLE_TIME,
        },
      ],
      grants: [
        {
          connector: 'Notes',
          title: 'Create a note',
          accountLabel: 'Work',
          anyText: true,
          until: SAMPLE_TIME,
          left: 9,
          revoke: form,
        },
      ],
      connections: connectors.slice(0, CONNECTION_STATES.length).map((connector, i) => ({
        connector,
        account: 'ana@example.com',
        label: i === 0 ? 'Work' : 'ana@example.com',
        state: CONNECTION_STATES[i] ?? 'active',
        href: here,
      })),
      shared: connectors.slice(0, 1).map(connector => ({
        connector,
        account: 'support@example.com',
        label: 'Support',
        state: 'active',
        isOfOrganization: true,
      })),
    }),
  ),
  'connections-none': sample('My connections', 'No connections', ({ frame }) =>
    connectionsPage(frame, {
      connections: [],
      shared: [],
      clients: [],
      pending: [],
      decided: [],
      grants: [],
    }),
  ),
  connection: sample('My connections', 'Connection', context => connection(context)),
  'connection-one-of-several': sample('My connections', 'One of several accounts', context =>
    connection(context, { label: 'Work' }, { rename: context.form }),
  ),
  'connection-label-rejected': sample('My connections', 'A label that is taken', context =>
    connection(context, { label: 'Work' }, { rename: context.form, rejectedLabel: 'Private' }),
  ),
  'connection-replaced': sample('My connections', 'Credentials replaced', context =>
    connection(context, {}, { replace: { asksFor: 'credentials', href: context.here }, wasReplaced: true }),
  ),
  'connection-replace': sample('My connections', 'Replace credentials', context => replacement(context)),
  'connection-replace-problem': sample('My connections', 'Replace credentials: another account', context =>
    replacement(context, 'other_account'),
  ),
  'connection-paused': sample('My connections', 'Paused', context =>
    connection(context, { state: 'paused', pausedUntil: new Date(context.frame.time.getTime() + HOUR) }),
  ),
  'connection-ends': sample('My connections', 'Ends soon', context =>
    connection(context, {
      state: 'at_risk',
      reconnectReason: { kind: 'endsOn', at: new Date(context.frame.time.getTime() + 3 * DAY) },
    }),
  ),
  'connection-rejected': sample('My connections', 'Sign-in needed', context =>
    connection(context, { state: 'needs_reauth' }),
  ),
  'connection-disconnect': sample(
    'My connections',
    'Confirm to disconnect',
    ({ frame, connector, form, here }) =>
      confirmDisconnectPage(frame, {
        connector,
        account: 'ana@example.com',
        disconnect: form,
        backHref: here,
      }),
  ),
  ...Object.fromEntries(
    REVOCATION_STATES.map(revocation => [
      `disconnected-${revocation}`,
      sample('My connections', REVOCATIONS[revocation], ({ frame, connector, here }) =>
        disconnectedPage(frame, {
          connector,
          account: 'ana@example.com',
          revocation,
          backHref: here,
          checkHref: here,
        }),
      ),
    ]),
  ),
}
