import type { Role } from '../../../api/session.ts'
import type { Option } from '../../../ui/forms/select.tsx'

export const ROLE_LABELS: Record<Role, string> = {
  admin: 'Administrator',
  developer: 'Developer',
  security: 'Security',
  read_only: 'Read only',
}

export const ROLE_OPTIONS: readonly Option<Role>[] = [
  { value: 'admin', label: ROLE_LABELS.admin, hint: 'Everything' },
  {
    value: 'developer',
    label: ROLE_LABELS.developer,
    hint: 'Users, connectors, Tool Packs, webhooks, Link customization',
  },
  { value: 'security', label: ROLE_LABELS.security, hint: 'Security rules and the audit trail' },
  { value: 'read_only', label: ROLE_LABELS.read_only, hint: 'Reads everything except the audit trail' },
]
