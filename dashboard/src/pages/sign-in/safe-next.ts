/** The page to open after sign-in. Anything but a path of the dashboard is ignored, so that a link cannot lead to another site. */
export const safeNext = (next: string | undefined): string => {
  const base = 'https://dashboard.invalid'
  if (next === undefined || !URL.canParse(next, base)) return '/dashboard'
  const { origin, pathname, search } = new URL(next, base)
  return origin === base && pathname.startsWith('/dashboard/') ? `${pathname}${search}` : '/dashboard'
}
