import type { Organization } from '@carabiner/sdk'

type Plan = { label: string; calls: string; records: string; events: string }

/** As in docs/guides/plans.md. */
export const PLANS: Record<Organization['plan'], Plan> = {
  free: { label: 'Free', calls: '1,000 calls', records: '90 days', events: '7 days' },
  starter: { label: 'Starter', calls: '10,000 calls', records: '90 days', events: '7 days' },
  business: { label: 'Business', calls: '100,000 calls', records: '365 days', events: '30 days' },
  enterprise: { label: 'Enterprise', calls: 'no limit of calls', records: '730 days', events: '90 days' },
}
