import type { ReactElement, ReactNode } from 'react'

const Icon = ({ children }: { children: ReactNode }): ReactElement => (
  <svg
    viewBox="0 0 20 20"
    width="18"
    height="18"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.8"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    {children}
  </svg>
)

export const Check = (): ReactElement => (
  <Icon>
    <path d="m4.5 10.5 3.6 3.6 7.4-8.2" />
  </Icon>
)
export const Cross = (): ReactElement => (
  <Icon>
    <path d="m5.5 5.5 9 9m0-9-9 9" />
  </Icon>
)
export const Lock = (): ReactElement => (
  <Icon>
    <rect x="4" y="9" width="12" height="8" rx="2.4" />
    <path d="M6.8 9V6.6a3.2 3.2 0 0 1 6.4 0V9" />
  </Icon>
)
export const Warning = (): ReactElement => (
  <Icon>
    <path d="M10 3.2 17.6 16.4H2.4ZM10 8.4v3.4M10 14.1v.1" />
  </Icon>
)
export const ArrowUp = (): ReactElement => (
  <Icon>
    <path d="M10 16V4.5M5 9.2l5-4.9 5 4.9" />
  </Icon>
)
export const Square = (): ReactElement => (
  <Icon>
    <rect x="5.5" y="5.5" width="9" height="9" rx="1.6" fill="currentColor" />
  </Icon>
)
export const Orbit = (): ReactElement => (
  <Icon>
    <circle cx="10" cy="10" r="3.1" fill="currentColor" stroke="none" />
    <ellipse cx="10" cy="10" rx="8.2" ry="3.6" transform="rotate(-28 10 10)" />
  </Icon>
)
/** Three pulsing dots, which do not move if the user prefers reduced motion. */
export const Dots = (): ReactElement => (
  <span className="dots" aria-hidden="true">
    <i />
    <i />
    <i />
  </span>
)
