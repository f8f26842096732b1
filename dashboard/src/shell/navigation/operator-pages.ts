import { Building2, HeartPulse, UsersRound } from 'lucide-react'

/** The pages of the installation, for operators only. */
export const OPERATOR_PAGES = [
  {
    label: 'Organizations',
    to: '/operator/organizations',
    icon: Building2,
    keywords: 'installation create suspend plan',
  },
  { label: 'People', to: '/operator/people', icon: UsersRound, keywords: 'installation operators sign-in' },
  { label: 'Health', to: '/operator/health', icon: HeartPulse, keywords: 'installation checks doctor' },
] as const
