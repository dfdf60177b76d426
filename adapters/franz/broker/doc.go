// Package broker tests arenafranz with a broker: franz-go's kfake, or one at EBBPOOL_KAFKA=host:port.
package broker
