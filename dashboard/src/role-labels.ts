import type { Role } from '@carabiner/contract/permissions'

export const ROLE_LABELS: Record<Role, string> = {
  admin: 'Administrator',
  developer: 'Developer',
  security: 'Security',
  read_only: 'Read only',
}
