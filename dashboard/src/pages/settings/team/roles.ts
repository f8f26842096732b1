import type { Role } from '../../../api/session.ts'
import { ROLE_LABELS } from '../../../role-labels.ts'
import type { Option } from '../../../ui/forms/select.tsx'

export { ROLE_LABELS }

export const ROLE_OPTIONS: readonly Option<Role>[] = [
  { value: 'admin', label: ROLE_LABELS.admin, hint: 'Everything' },
  {
    value: 'developer',
    label: ROLE_LABELS.developer,
    hint: 'Users, connectors, Tool Packs, webhooks, Link customization',
  },
  { value: 'security', label: ROLE_LABELS.security, hint: 'Security rules and the audit trail' },
  { value: 'read_only', label: ROLE_LABELS.read_only, hint: 'Can read everything except the audit trail' },
]
