import type { ConnectorCategory, LinkLanguage } from '@carabiner/contract'
import type { ToolKind } from './words/reasons.ts'
import type { Words } from './words/words.ts'

export {
  FAILURE_REASONS,
  type FailureReason,
  KEY_PROBLEMS,
  type KeyProblem,
  type Outcome,
  REFUSED_REASONS,
  type RefusedReason,
  TOOL_KINDS,
  type ToolKind,
} from './words/reasons.ts'

/** How the organization wants its pages to look. */
export type WatchRead = {
  /** Null: as the person's system says. */
  theme: 'light' | 'dark' | null
  colours: Record<'light' | 'dark', { primary: string; on_primary: string; accent: string }>
  /** Of the card, in pixels; controls follow in proportion. */
  radius: number
  coBranding: boolean
  /** Addresses of images on our own origin. */
  logo: Record<'light' | 'dark', string | null>
  supportHref: string | null
  privacyHref: string | null
  termsHref: string | null
}

/** What the page's script works with. Without a script every page still does its work. */
export type PageData = {
  /** The origin of the embedding page, and what its component knows this frame by. */
  opener?: string
  nonce?: string
  /** Where the session's events come from, and where to go when it has come to something. */
  events?: string
  done?: string
  home?: string
  ended?: string
  /** Where the hosted page trades its token. */
  trade?: string
  /** What a session brought that the component does not watch itself, as JSON. */
  result?: string
  /** This page has said what it had to say: the window closes, or the component is told to. */
  close?: '1'
}

/** What every page knows. */
export type Frame = {
  words: Words
  look: WatchRead
  data: PageData
  /** A picture of a page, in the preview: nothing in it takes the focus. */
  preview?: true
  /** Inside an application's page, which offers no close button of its own. */
  embedded: boolean
  /** The same page in other languages. */
  languages: { language: LinkLanguage; name: string; href: string }[]
  /** Null where the link itself was not recognisable: then nothing is said of anybody. */
  organization: { name: string } | null
  /** `isName`: false where the user has no name, and an e-mail address or the application's own id stands for it. */
  user: { name: string; isName: boolean } | null
  testMode: boolean
  requestId: string
  time: Date
}

/** The frame of a page that asks for something: a page without an asker would be a page nobody should trust. */
export type KnownFrame = Frame & { organization: { name: string } }

/** A text of a connector in the page's language, or its English original if it has no translation. */
export type ConnectorText = string | { english: string }

export type ConnectorFace = {
  slug: string
  name: string
  summary: ConnectorText
  categories: ConnectorCategory[]
  /** What its tile shows: its own letters on the tint nearest to its colour, or else its initial on any tint. */
  letters: string | null
  tint: string | null
  /** The path of its logo on this origin, shown in place of letters. */
  logo: string | null
  method: 'oauth' | 'api_key'
}

export type FormTarget = {
  /** A path of this origin, or an address of the service's other one. */
  action: string
  /** Hidden inputs, such as the form token. */
  fields: Record<string, string>
}

export type Permission = { title: ConnectorText; detail: ConnectorText | null }

/** What the assistant will be able to do: by the pack's tools, by scopes where no tool is known, or anything. */
export type Abilities =
  | { by: 'tools'; groups: { kind: ToolKind; tools: ConnectorText[] }[] }
  | { by: 'scopes'; permissions: Permission[] }
  | { by: 'account' }

/** Another way to connect the same product. `connector`: the name of another connector that is linked in the same way. */
export type OtherWay = { href: string } & (
  | { by: 'key' | 'sign_in' | 'server' }
  | { by: 'connector'; connector: string }
)

export type KeyField = {
  name: string
  label: ConnectorText
  hint: ConnectorText | null
  placeholder: string | null
  /** What follows the value in the address that people know. */
  suffix: string | null
  secret: boolean
  /** A regular expression that the whole value must match. */
  pattern: string | null
  /** The values to choose from. Null: the person types the value. */
  choices: { value: string; label: ConnectorText }[] | null
  /** What the person typed before. A secret is never written back into a page, whatever stands here. */
  value: string | null
}

/** The customer's own address is asked on the same forms as a key: its fields are told apart by name. */
export const TENANT_PREFIX = 'tenant.'
