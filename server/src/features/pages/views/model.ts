import type { AsksFor, ConnectorCategory, LinkLanguage } from '@carabiner/contract'
import type { ToolKind } from './words/reasons.ts'
import type { Words } from './words/words.ts'

export {
  APPROVAL_ENDINGS,
  type ApprovalEnding,
  CONNECTION_STATES,
  type ConnectionState,
  FAILURE_REASONS,
  type FailureReason,
  KEY_PROBLEMS,
  type KeyProblem,
  type Outcome,
  REFUSED_REASONS,
  REVOCATION_STATES,
  type RefusedReason,
  type RevocationState,
  TOOL_KINDS,
  type ToolKind,
} from './words/reasons.ts'

/** An organization's branding of its pages. */
export type Look = {
  /** Null: the system's theme. */
  theme: 'light' | 'dark' | null
  colors: Record<'light' | 'dark', { primary: string; on_primary: string; accent: string }>
  /** Corner radius of the card in pixels; controls scale in proportion. */
  radius: number
  coBranding: boolean
  /** Paths of images on this origin. */
  logo: Record<'light' | 'dark', string | null>
  supportHref: string | null
  privacyHref: string | null
  termsHref: string | null
}

/** Input of the page's script. Every page also works without a script. */
export type PageData = {
  /** The origin of the embedding page, and the value by which its component identifies this frame. */
  opener?: string
  nonce?: string
  /** The address of the session's events, and the pages to open when its state changes. */
  events?: string
  done?: string
  home?: string
  ended?: string
  /** The endpoint where the hosted page exchanges its token. */
  trade?: string
  /** The result, as JSON, of a session that the component does not subscribe to itself. */
  result?: string
  /** Nothing remains to be shown: the window closes, or the component is asked to close the frame. */
  close?: '1'
}

/** Data that every page needs. */
export type Frame = {
  words: Words
  look: Look
  data: PageData
  /** A preview page: nothing in it takes the focus. */
  preview?: true
  /** Embedded in an application's page, which has no close button of its own. */
  embedded: boolean
  /** Links to the same page in other languages. */
  languages: { language: LinkLanguage; name: string; href: string }[]
  /** Null if the link was not recognized; the page then names no organization. */
  organization: { name: string } | null
  /** `isName`: false if the user has no name and is shown by email address or the application's own ID. */
  user: { name: string; isName: boolean } | null
  testMode: boolean
  requestId: string
  time: Date
}

/** The frame of a page that requests something, and so must name the organization. */
export type KnownFrame = Frame & { organization: { name: string } }

/** A connector text in the page's language, or the English original if there is no translation. */
export type ConnectorText = string | { english: string }

export type ConnectorDisplay = {
  slug: string
  name: string
  summary: ConnectorText
  categories: ConnectorCategory[]
  /**
   * The tile's letters and tint: the connector's own letters on the tint nearest to its color, or its initial on a tint
   * derived from its slug.
   */
  letters: string | null
  tint: number | null
  /** The path of its logo on this origin, shown instead of the letters. */
  logo: string | null
  linkedBy: 'sign_in' | AsksFor
}

/** Why the user is asked to connect an account again. `failing`: it may end soon. */
export type ReconnectReason = { kind: 'endsOn' | 'newKeyBy'; at: Date } | { kind: 'ended' | 'failing' }

export type FormTarget = {
  /** A path of this origin, or an address of the service's other origin. */
  action: string
  /** Hidden inputs, such as the form token. */
  fields: Record<string, string>
}

export type Permission = { title: ConnectorText; detail: ConnectorText | null }

/** The assistant's abilities: listed by tools, by scopes if no tool is known, or as access to the whole account. */
export type Abilities =
  | { by: 'tools'; groups: { kind: ToolKind; tools: ConnectorText[] }[] }
  | { by: 'scopes'; permissions: Permission[] }
  | { by: 'account' }

/** An alternative method to connect the same product. `connector`: another connector with the same kind of method. */
export type AlternativeMethod = { href: string } & (
  | { by: AsksFor | 'sign_in' | 'server' }
  | { by: 'connector'; connector: string }
)

export type KeyField = {
  name: string
  label: ConnectorText
  hint: ConnectorText | null
  placeholder: string | null
  /** The fixed part after the value in the address, such as `.example.com`. */
  suffix: string | null
  secret: boolean
  /** False: the person may leave it empty. */
  required: boolean
  /** A value of several lines, which can also be uploaded as a file. */
  isFile: boolean
  /** A regular expression that the whole value must match. */
  pattern: string | null
  /** The values to choose from. Null: the person types the value. */
  choices: { value: string; label: ConnectorText }[] | null
  /** The value entered before. A secret is never written back into a page, even if it is set here. */
  value: string | null
}

/** Prefix of the field names of address variables, which share forms with key fields. */
export const TENANT_PREFIX = 'tenant.'
