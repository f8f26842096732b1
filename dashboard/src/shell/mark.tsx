/** The carabiner. Its gate is the only place of the accent color outside of test mode. */
export const Mark = ({ className = 'size-6' }: { className?: string }) => (
  <svg
    viewBox="0 0 24 24"
    fill="none"
    strokeWidth="2.4"
    strokeLinecap="round"
    className={className}
    aria-hidden="true"
  >
    <path d="M7 12.6V16a5 5 0 0 0 10 0V8a5 5 0 0 0-6.4-4.8" stroke="currentColor" />
    <path d="M7 9.4V8c0-1.2.4-2.3 1.1-3.1" stroke="var(--accent)" />
  </svg>
)
